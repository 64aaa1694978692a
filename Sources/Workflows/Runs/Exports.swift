// What orders, facts and steps are made of.
@_exported public import Workflows
