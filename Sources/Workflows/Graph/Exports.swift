// A chain over Microsoft Graph also needs credentials and transports; one import suffices.
@_exported public import WorkflowHTTP
