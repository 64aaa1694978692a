// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "graphflow", path: "..")],
    targets: [
        .executableTarget(
            name: "PromisesBenchmarks",
            dependencies: [.product(name: "Promises", package: "graphflow")]),
        .executableTarget(
            name: "WorkflowsBenchmarks",
            dependencies: [.product(name: "Workflows", package: "graphflow")]),
    ]
)
