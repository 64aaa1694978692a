// Requests carry values, and errors locate text.
@_exported public import WorkflowData
