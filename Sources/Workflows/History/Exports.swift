// A run's history contains the output of its workflow, its requests and Microsoft Graph.
@_exported public import MicrosoftGraph
@_exported public import WorkflowModel
