// A run's history has what its workflow, its requests and Microsoft Graph said.
@_exported public import MicrosoftGraph
@_exported public import WorkflowModel
