// A chain over Microsoft Graph also needs credentials and transports; one import is enough.
@_exported public import WorkflowHTTP
