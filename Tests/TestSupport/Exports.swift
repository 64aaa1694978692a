// Tests use the kit that users have.
@_exported public import GraphflowTesting
