import Foundation
import Testing

@testable import Workflows

/// The arguments of podman and docker, and what left containers are told by.
@Suite struct ContainerArgumentsTests {
    @Test func `every option stands before the image, and every word of the command after it`() {
        var arguments = ContainerArguments(
            image: "alpine:3", name: "one", labels: [("a", "1"), ("b", "2 3")], pullPolicy: .always,
            removesItself: true, readsInput: true)
        arguments.variables = [
            ContainerArguments.Variable(name: "TOKEN", value: nil),
            ContainerArguments.Variable(name: "HOME", value: "/root"),
        ]
        arguments.ports = [("8080", "80"), ("5353", "53/udp")]
        arguments.volumes = [("/data", "/srv:ro"), ("cache", "/cache")]
        arguments.words = ["sh", "-c", "echo $(id)", "--rm"]
        #expect(
            arguments.list == [
                "run", "--name", "one", "--label", "a=1", "--label", "b=2 3", "--quiet", "--pull", "always", "--rm",
                "--interactive", "--env", "TOKEN", "--env", "HOME=/root", "--publish", "8080:80", "--publish",
                "5353:53/udp", "--volume", "/data:/srv:ro", "--volume", "cache:/cache", "alpine:3", "sh", "-c",
                "echo $(id)", "--rm",
            ])
    }

    @Test(arguments: [
        ("ifNotPresent", "missing"), ("always", "always"), ("never", "never"),
    ])
    func `'pullPolicy' is an option of the program`(policy: String, option: String) throws {
        let policy = try #require(Workflow.Process.Container.PullPolicy(rawValue: policy))
        let list = ContainerArguments(
            image: "a", name: "b", labels: [], pullPolicy: policy, removesItself: false, readsInput: false
        ).list
        #expect(list == ["run", "--name", "b", "--quiet", "--pull", option, "a"])
    }

    @Test(
        arguments: [
            ("echo  Hello world ", ["echo", "Hello", "world"]),
            ("sh -c 'echo \"$1\"; ls *'", ["sh", "-c", "echo \"$1\"; ls *"]),
            (#"a "b \"c\" \n" d\ e '' "#, ["a", #"b "c" \n"#, "d e", ""]), ("", []), ("a\tb\nc", ["a", "b", "c"]),
            ("'open", nil), ("a \\", nil), ("\"open", nil),
        ] as [(String, [String]?)])
    func `a command is split at its spaces, and nothing in it is expanded`(command: String, words: [String]?) {
        #expect(Workflow.Process.Container.words(of: command) == words)
    }

    @Test(arguments: [
        "alpine", "alpine:3.20", "docker.io/library/alpine", "localhost:5000/a/b:c", "ghcr.io/a/b_c@sha256:0123abc",
    ])
    func `takes the names of images`(image: String) {
        #expect(Workflow.Process.Container.problem(ofImage: image) == nil)
    }

    @Test(arguments: ["", "-v", "--privileged", "a b", "a//b", "/a", "a/", "a\nb", "ä", "a:", "a;b", "a/-b"])
    func `refuses what is not the name of an image`(image: String) {
        #expect(Workflow.Process.Container.problem(ofImage: image) != nil)
    }

    @Test(arguments: ["", "-n", "a b", "a/b", ".a", "a:b", "a\n"])
    func `refuses what is not the name of a container`(name: String) {
        #expect(Workflow.Process.Container.problem(ofName: name) != nil)
        #expect(Workflow.Process.Container.problem(ofName: "job_1.a-b") == nil)
    }

    @Test(arguments: ["-x", "A*", "A B", "*", "A\n"])
    func `refuses what is not the name of a variable`(name: String) {
        #expect(Workflow.Process.Container.problem(ofVariable: name) != nil)
        #expect(Workflow.Process.Container.problem(ofVariable: "A_b.c-1") == nil)
    }

    @Test(arguments: [
        ("0", "80"), ("80", "65536"), ("a", "80"), ("80", "80/icmp"), ("-1", "80"), ("80", ""), ("127.0.0.1:80", "80"),
    ])
    func `refuses what does not map ports`(host: String, container: String) {
        #expect(Workflow.Process.Container.problem(ofPort: host, to: container) != nil)
        #expect(Workflow.Process.Container.problem(ofPort: "5353", to: "53/udp") == nil)
    }

    @Test(arguments: [
        ("-v", "/a"), ("a/b", "/a"), ("/a", "b"), ("/a:b", "/c"), ("/a", "/b:z:ro"), ("/a", "/b:exec"), ("/a\n", "/b"),
        ("~", "/b"), ("", "/b"), ("/a", ""),
    ])
    func `refuses what does not map a volume`(source: String, target: String) {
        #expect(Workflow.Process.Container.problem(ofVolume: source, to: target) != nil)
        #expect(Workflow.Process.Container.problem(ofVolume: "/a", to: "/b:ro") == nil)
        #expect(Workflow.Process.Container.problem(ofVolume: "cache", to: "/b") == nil)
    }

    @Test(arguments: [
        "PATH", "HOME", "DOCKER_HOST", "CONTAINERS_CONF", "LD_PRELOAD", "https_proxy", "LC_ALL", "TMPDIR",
    ])
    func `variables that the program itself uses are not set for it`(name: String) {
        #expect(ContainerEngine.uses(name))
        for name in ["GREETING", "GOOGLE_API_KEY", "REGISTRY_PASSWORD", "STORAGE_KEY"] {
            #expect(!ContainerEngine.uses(name))
        }
    }
}

/// Containers that were found by their labels.
@Suite struct LeftContainerTests {
    private static let now = Date(timeIntervalSince1970: 1_750_000_000)

    private func fate(_ labels: [String: String], isRunning: Bool = false, age: TimeInterval = 0) -> LeftContainer.Fate
    {
        let container = LeftContainer(
            id: "a", labels: Dictionary(uniqueKeysWithValues: labels.map { ("io.graphflow.\($0)", $1) }),
            isRunning: isRunning, endedAt: Self.now.addingTimeInterval(-age))
        return container.fate(at: Self.now, resuming: ["RUN", "INNER"])
    }

    @Test func `of a resumed run those are removed that it waited for, also of its inner runs`() {
        for isRunning in [true, false] {
            #expect(fate(["cleanup": "always", "run": "RUN"], isRunning: isRunning) == .removed)
            #expect(fate(["cleanup": "always", "run": "INNER"], isRunning: isRunning) == .removed)
            #expect(fate(["cleanup": "always", "run": "OTHER"], isRunning: isRunning) == .kept)
            #expect(fate(["cleanup": "always", "run": "RUN", "unawaited": "true"], isRunning: isRunning) == .kept)
            #expect(fate(["cleanup": "never", "run": "RUN"], isRunning: isRunning) == .kept)
        }
    }

    @Test func `those of any run are removed whose time after their end has passed`() {
        let labels = ["cleanup": "eventually", "run": "OTHER", "after": "60"]
        #expect(fate(labels, age: 60) == .removed)
        #expect(fate(labels, age: 59) == .kept)
        #expect(fate(labels, isRunning: true, age: 600) == .kept)
        #expect(fate(["cleanup": "eventually", "run": "OTHER"], age: 600) == .kept)
        #expect(fate([:], age: 600) == .kept)
    }

    @Test func `reads what podman and docker say of a container`() throws {
        let text = """
            [
              { "Id": "a1", "Created": "2025-06-15T15:00:00Z", "Config": { "Labels": { "x": "y" } },
                "State": { "Running": false, "FinishedAt": "2025-06-15T15:06:40.123456789Z" } },
              { "Id": "b2", "Created": "2025-06-15T17:06:40.5+02:00", "Config": { "Labels": null },
                "State": { "Running": false, "Paused": true, "FinishedAt": "0001-01-01T00:00:00Z" } }
            ]
            """
        let list = LeftContainer.list(Data(text.utf8))
        #expect(list.map(\.id) == ["a1", "b2"])
        #expect(list.map(\.labels) == [["x": "y"], [:]])
        #expect(list.map(\.isRunning) == [false, true])
        #expect(list.map { $0.endedAt.map { Int($0.timeIntervalSince(Self.now) * 1_000) } } == [123, 500])
        #expect(LeftContainer.list(Data("no".utf8)) == [])
    }
}
