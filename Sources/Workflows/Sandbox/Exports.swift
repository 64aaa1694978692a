// Who talks to the sandbox does so in requests and answers.
@_exported public import WorkflowHTTP
