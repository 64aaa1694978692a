// Each file of the program uses the engine.
@_exported public import GraphflowTesting
@_exported public import WorkflowRuns
