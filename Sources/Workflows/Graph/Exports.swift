// A chain over Microsoft Graph needs credentials and transports, and nothing else to import.
@_exported public import WorkflowHTTP
