import Foundation

extension Plan {
    /// The JSON Schema of ``value``.
    public static var schema: Value { (try? Value(json: Data(PackageResources.plan_schema_json))) ?? true }
}
