// Requests carry values, and their errors say where in a text something is wrong.
@_exported public import WorkflowData
