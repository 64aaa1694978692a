// Tests of workflows need the engine.
@_exported public import Workflows
