// Users of the sandbox need the types of requests and answers.
@_exported public import WorkflowHTTP
