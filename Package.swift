// swift-tools-version: 6.2
import PackageDescription

// What every target is built with; the proposal beside each feature says what it changes.
let features: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
    .enableUpcomingFeature("InferIsolatedConformances"),  // SE-0470
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
    .enableUpcomingFeature("ImmutableWeakCaptures"),  // SE-0481
    .strictMemorySafety(),  // SE-0458
    .treatAllWarnings(as: .error),  // SE-0480
]

// For builds from nothing, which are shorter this way; later builds then compile whole targets again. A module is written
// by the job that compiles it, instead of a second one that checks the same files for that.
let whole: [SwiftSetting] = [
    .unsafeFlags(["-whole-module-optimization", "-num-threads", "2", "-no-emit-module-separately-wmo"])
]
let settings = features + (Context.environment["GRAPHFLOW_WHOLE_TARGETS"] == nil ? [] : whole)

let package = Package(
    name: "graphflow",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Promises", targets: ["Promises"]),
        .library(name: "MicrosoftGraph", targets: ["MicrosoftGraph"]),
        .library(name: "Workflows", targets: ["Workflows"]),
        .library(name: "WorkflowRuns", targets: ["WorkflowRuns"]),
        .library(name: "GraphSandbox", targets: ["GraphSandbox"]),
        .library(name: "GraphflowTesting", targets: ["GraphflowTesting"]),
        .executable(name: "graphflow", targets: ["graphflow"]),
    ],
    targets: [
        .target(name: "Essentials", path: "Sources/Workflows/Essentials", swiftSettings: settings),
        .target(name: "Promises", swiftSettings: settings),
        .target(
            name: "WorkflowData", dependencies: ["Essentials", "Promises"], path: "Sources/Workflows/Data",
            resources: [.embedInCode("Expressions/Builtins/prelude.jq"), .embedInCode("Schemas/metaschemas.json")],
            swiftSettings: settings),
        // Microsoft Graph as data: it sends nothing, and knows no workflow.
        .target(
            name: "GraphModel", dependencies: ["Essentials", "Promises", "WorkflowData"],
            path: "Sources/Workflows/GraphModel", swiftSettings: settings),
        .target(
            name: "WorkflowHTTP", dependencies: ["Essentials", "Promises", "WorkflowData"],
            path: "Sources/Workflows/HTTP", swiftSettings: settings),
        .target(
            name: "MicrosoftGraph",
            dependencies: ["Essentials", "GraphModel", "Promises", "WorkflowData", "WorkflowHTTP"],
            path: "Sources/Workflows/Graph",
            resources: [
                .embedInCode("Pictures/default-photo.png"), .embedInCode("Pictures/example-photo.png"),
            ], swiftSettings: settings),
        .target(
            name: "GraphSandbox",
            dependencies: ["Essentials", "GraphModel", "Promises", "WorkflowData", "WorkflowHTTP"],
            path: "Sources/Workflows/Sandbox",
            resources: [
                .embedInCode("Front/page.css"), .embedInCode("Front/page.html"), .embedInCode("Front/page.js"),
                .embedInCode("Examples/photo-240.jpg"),
                .embedInCode("Examples/photo-48.jpg"),
                .embedInCode("Examples/request-bodies.json"), .embedInCode("Platform/sign-in.css"),
            ], swiftSettings: settings),
        .target(
            name: "WorkflowModel", dependencies: ["Essentials", "Promises", "WorkflowData", "WorkflowHTTP"],
            path: "Sources/Workflows/Model", resources: [.embedInCode("Validation/FileSchema/workflow-schema.json")],
            swiftSettings: settings),
        .target(
            name: "WorkflowHistory",
            dependencies: [
                "Essentials", "MicrosoftGraph", "Promises", "WorkflowData", "WorkflowHTTP", "WorkflowModel",
            ],
            path: "Sources/Workflows/History", swiftSettings: settings),
        // Of the sandbox the engine knows nothing: it only re-exports it, for programs that try out their workflows.
        .target(
            name: "Workflows",
            dependencies: [
                "Essentials", "GraphModel", "GraphSandbox", "MicrosoftGraph", "Promises", "WorkflowData",
                "WorkflowHTTP",
                "WorkflowHistory", "WorkflowModel",
            ],
            path: "Sources/Workflows/Engine", resources: [.embedInCode("Running/Planning/plan.schema.json")],
            swiftSettings: settings),
        .target(
            name: "WorkflowRuns",
            dependencies: [
                "Essentials", "MicrosoftGraph", "Promises", "WorkflowData", "WorkflowHTTP", "WorkflowHistory",
                "WorkflowModel", "Workflows",
            ],
            path: "Sources/Workflows/Runs", swiftSettings: settings),
        .target(
            name: "GraphflowTesting",
            dependencies: [
                "Essentials", "GraphSandbox", "MicrosoftGraph", "Promises", "WorkflowData", "WorkflowHTTP", "Workflows",
            ],
            path: "Sources/Workflows/Testing", resources: [.embedInCode("test-schema.json")], swiftSettings: settings),
        .executableTarget(
            name: "graphflow",
            dependencies: [
                "Essentials", "GraphModel", "GraphSandbox", "GraphflowTesting", "MicrosoftGraph", "Promises",
                "WorkflowData", "WorkflowHTTP", "WorkflowRuns", "Workflows",
            ],
            resources: [
                .embedInCode("Commands/completions.bash"), .embedInCode("Commands/completions.fish"),
                .embedInCode("Commands/completions.zsh"),
                .embedInCode("Pages/approvals.js"), .embedInCode("Pages/batch.js"), .embedInCode("Pages/board.css"),
                .embedInCode("Pages/board.js"),
                .embedInCode("Pages/drawing.css"), .embedInCode("Pages/elements.js"),
                .embedInCode("Pages/filter.js"), .embedInCode("Pages/page.css"),
                .embedInCode("Pages/plan.css"), .embedInCode("Pages/report.js"), .embedInCode("Pages/run.js"),
                .embedInCode("Pages/start.js"),
                .embedInCode("Pages/timeline.js"),
                .embedInCode("Resources/samples.json"),
            ],
            swiftSettings: settings,
            // Lets a static program do without the C++ libraries. Packages that depend on ours do not build this target.
            linkerSettings: [
                .unsafeFlags(["-L\(Context.packageDirectory)/scripts/static-link"], .when(platforms: [.linux]))
            ]),
        .target(
            name: "TestSupport", dependencies: ["GraphflowTesting", "Promises", "Workflows"], path: "Tests/TestSupport",
            swiftSettings: settings),
        .executableTarget(
            name: "conformance-probe", dependencies: ["Workflows"], path: "Tests/ConformanceProbe",
            swiftSettings: settings),
        .testTarget(name: "PromisesTests", dependencies: ["Promises"], swiftSettings: settings),
        .testTarget(
            name: "WorkflowDataTests", dependencies: ["Promises", "TestSupport", "WorkflowData"],
            swiftSettings: settings),
        .testTarget(
            name: "WorkflowHTTPTests", dependencies: ["Promises", "TestSupport", "WorkflowHTTP"],
            exclude: ["Cryptography/SHA256Vectors"], swiftSettings: settings),
        .testTarget(
            name: "MicrosoftGraphTests", dependencies: ["MicrosoftGraph", "Promises", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "GraphSandboxTests", dependencies: ["GraphSandbox", "Promises", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "WorkflowsTests",
            dependencies: ["GraphModel", "Promises", "TestSupport", "WorkflowHistory", "WorkflowModel", "Workflows"],
            exclude: [
                "Events/Journal/Snapshots", "GraphModel/sample-effects.txt", "GraphModel/samples.tsv",
                "PublicInterface",
            ], swiftSettings: settings),
        .testTarget(
            name: "WorkflowRunsTests", dependencies: ["Promises", "TestSupport", "WorkflowRuns"],
            swiftSettings: settings),
        .testTarget(
            name: "GraphflowTests", dependencies: ["graphflow", "Promises", "TestSupport", "Workflows"],
            exclude: ["Snapshots"],
            swiftSettings: settings),
    ]
)
