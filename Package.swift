// swift-tools-version: 6.2
import PackageDescription

// What every target is built with; the proposal beside each feature says what it changes.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
    .enableUpcomingFeature("InferIsolatedConformances"),  // SE-0470
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
    .enableUpcomingFeature("ImmutableWeakCaptures"),  // SE-0481
    .strictMemorySafety(),  // SE-0458
    .treatAllWarnings(as: .error),  // SE-0480
]

let package = Package(
    name: "graphflow",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Promises", targets: ["Promises"]),
        .library(name: "Workflows", targets: ["Workflows"]),
        .executable(name: "graphflow", targets: ["graphflow"]),
    ],
    targets: [
        .target(name: "Promises", swiftSettings: settings),
        .target(
            name: "Workflows", dependencies: ["Promises"],
            resources: [
                .embedInCode("Graph/default-photo.png"),
                .embedInCode("Graph/example-photo.png"),
                .embedInCode("Running/Planning/plan.schema.json"),
                .embedInCode("Sandbox/Resources/photo-240.jpg"),
                .embedInCode("Sandbox/Resources/photo-48.jpg"),
                .embedInCode("Sandbox/Resources/request-bodies.json"),
                .embedInCode("Validation/FileSchema/workflow-schema.json"),
            ], swiftSettings: settings),
        .executableTarget(name: "graphflow", dependencies: ["Promises", "Workflows"], swiftSettings: settings),
        .target(
            name: "TestSupport", dependencies: ["Promises", "Workflows"], path: "Tests/TestSupport",
            swiftSettings: settings),
        .executableTarget(
            name: "conformance-probe", dependencies: ["Workflows"], path: "Tests/ConformanceProbe",
            swiftSettings: settings),
        .testTarget(name: "PromisesTests", dependencies: ["Promises"], swiftSettings: settings),
        .testTarget(
            name: "WorkflowsTests", dependencies: ["Promises", "TestSupport", "Workflows"],
            exclude: ["Events/Journal/Snapshots", "HTTP/SHA256Vectors"], swiftSettings: settings),
        .testTarget(
            name: "GraphflowTests", dependencies: ["graphflow", "Promises", "TestSupport", "Workflows"],
            exclude: ["Snapshots"],
            swiftSettings: settings),
    ]
)
