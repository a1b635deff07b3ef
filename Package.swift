// swift-tools-version: 6.2
import PackageDescription

// One list for every target, so that no module is checked less strictly than another:
// explicit `any`, imports that do not leak, and members visible only from what a file imports. The language mode is 6,
// that of the tools version, except under the trait Migration, where regular expressions need a feature of mode 6.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v5, .when(traits: ["Migration"])),
    .enableUpcomingFeature("BareSlashRegexLiterals", .when(traits: ["Migration"])),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let log: Target.Dependency = .product(name: "Logging", package: "swift-log")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let subprocess: Target.Dependency = .product(name: "Subprocess", package: "swift-subprocess")
let system: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")

/// A library or executable of ours; `settings` apply to all of them.
func target(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func program(_ name: String, _ dependencies: [Target.Dependency], linker: [LinkerSetting] = []) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: settings, linkerSettings: linker)
}

// The compiler works on a module in batches of 25 files, and each of them expands the macros of all its tests.
let fewBatches: SwiftSetting = .unsafeFlags(["-driver-batch-size-limit", "100"])

/// `data` names folders of files that tests read where they lie.
func tests(_ name: String, _ dependencies: [Target.Dependency], data: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: data, swiftSettings: settings + [fewBatches])
}

let package = Package(
    name: "rxd",
    products: [
        .library(name: "Rx", targets: ["Rx"]),
        .library(name: "RxAction", targets: ["RxAction"]),
        .library(name: "RxReactor", targets: ["RxReactor"]),
        .library(name: "RxTraits", targets: ["RxTraits"]),
        .library(name: "RxFoundation", targets: ["RxFoundation"]),
        .library(name: "RxBlocking", targets: ["RxBlocking"]),
        .library(name: "RxTest", targets: ["RxTest"]),
        // All modules whose types a program meets that hosts its own actions and reactors.
        .library(
            name: "RxHost",
            targets: [
                "RxServer", "RxHost", "RxStore", "RxRecords", "RxReactor", "RxAction", "Rx", "RxProtocol", "RxJSON",
                "RxLoop", "UnixSocket", "Systemd", "RxPlatform",
            ]),
        .library(name: "RxClient", targets: ["RxClient", "RxProtocol", "JSONRPC", "RxJSON"]),
        .executable(name: "rxd", targets: ["rxd"]),
        .executable(name: "rxctl", targets: ["rxctl"]),
    ],
    traits: [
        .trait(
            name: "Migration",
            description: "What the compiler rejects in programs that use the Rx libraries becomes a warning.")
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.5.0"),
        // Without its default trait it would link all of Foundation into the daemon.
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.0", traits: []),
    ],
    targets: [
        target("Rx"),
        target("RxAction", ["Rx"]),
        target("RxReactor", ["Rx"]),
        // The worked example of RxReactor.
        target("RxTodo", ["RxReactor", "Rx"]),
        target("RxFoundation", ["Rx"]),
        target("RxTraits", ["Rx"]),
        // Links neither XCTest nor Testing, unlike RxTest, which re-exports it.
        target("RxBlocking", ["Rx"]),
        target("RxTest", ["RxBlocking", "Rx"]),

        .target(name: "CMalloc"),
        .target(name: "CJemalloc", linkerSettings: [.linkedLibrary("jemalloc")]),
        target("RxPlatform", ["CMalloc"]),
        target("RxTime"),

        .target(name: "CSimdjson", linkerSettings: [.linkedLibrary("simdjson")]),
        .target(name: "CJSONSchema", linkerSettings: [.linkedLibrary("simdjson"), .linkedLibrary("re2")]),
        target("RxJSON", ["CSimdjson", "CJSONSchema"]),
        target("JSONRPC", ["RxJSON"]),

        .target(name: "CEpoll"),
        target("RxLoop", ["RxPlatform", "CEpoll"]),
        target("UnixSocket", ["RxPlatform", "RxLoop", "CEpoll"]),

        .target(name: "CSystemd", linkerSettings: [.linkedLibrary("systemd")]),
        target("Systemd", ["RxPlatform", "CSystemd", log]),

        // toml++ is all in its header.
        .target(name: "CToml"),
        target("RxProtocol", ["JSONRPC", "RxJSON"]),

        .target(name: "CSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
        target("RxRecords", ["RxAction", "RxJSON"]),
        target("RxStore", ["RxPlatform", "RxRecords", "Rx", "RxAction", "RxJSON", "CSQLite"]),
        target("RxHost", ["RxPlatform", "Rx", "RxAction", "RxReactor", "RxRecords", "RxStore", "RxJSON"]),
        target(
            "RxServer",
            [
                "RxPlatform", "Rx", "RxAction", "RxHost", "RxRecords", "RxStore", "RxProtocol", "JSONRPC", "RxJSON",
                "UnixSocket", "RxLoop", "Systemd", log,
            ]),
        .target(name: "CJq", linkerSettings: [.linkedLibrary("jq")]),
        target("Jq", ["CJq", "Rx", "RxStreams", "RxJSON"]),
        // swift-subprocess takes paths and descriptors as types of swift-system.
        target(
            "RxProcess",
            [
                "Rx", "RxPlatform", "RxAction", "RxRecords", "RxHost", "RxStreams", "RxTime", "RxJSON", "RxLoop",
                subprocess, system, log,
            ]),
        target("RxJq", ["CJq", "Rx", "RxPlatform", "RxRecords", "RxHost", "RxStreams", "RxJSON"]),
        target(
            "RxConfiguration",
            [
                "RxStreams", "RxStreamTest", "RxTime", "RxPlatform", "RxProcess", "RxJq", "Jq", "RxAction", "RxRecords",
                "RxHost", "RxProtocol", "RxJSON", "CToml", log,
            ]),
        target("RxStreams", ["Rx", "RxTime", "RxPlatform", "RxJSON"]),
        target("RxStreamTest", ["RxStreams", "RxAction", "Rx", "RxTime", "RxJSON"]),
        target(
            "RxSources",
            ["RxStreams", "Rx", "RxTime", "RxPlatform", "RxJSON", "RxLoop", "CEpoll", "CSystemd", "Systemd"]),
        target("RxPictures", ["RxJSON"]),
        target("RxTerminal"),
        target(
            "RxBindings",
            [
                "RxStreams", "RxSources", "RxHost", "RxStore", "RxRecords", "RxAction", "Rx", "RxTime", "RxPlatform",
                "RxJSON",
            ]),
        target("RxClient", ["Rx", "RxPlatform", "RxProtocol", "JSONRPC", "RxJSON", "UnixSocket", "RxLoop"]),

        target(
            "RxOffline",
            [
                "RxConfiguration", "RxSources", "RxStreams", "RxProcess", "RxProtocol", "RxJq", "RxHost", "RxStore",
                "RxRecords", "Rx", "RxJSON", "RxPlatform", arguments,
            ]),

        program(
            "rxd",
            [
                "RxOffline", "RxConfiguration", "RxBindings", "RxSources", "RxStreams", "RxTime", "RxProcess", "RxJq",
                "RxHost", "RxServer", "RxStore", "RxRecords", "RxProtocol", "Rx", "RxJSON", "RxLoop", "RxPlatform",
                "Systemd", "CJemalloc", arguments, log,
            ],
            // A libdispatch in a file of its own finds only exported functions: see ThreadPriority.swift.
            linker: [.unsafeFlags(["-Xlinker", "--export-dynamic-symbol=setpriority"])]),
        .executableTarget(
            name: "TodoDaemon",
            dependencies: [
                "RxServer", "RxHost", "RxRecords", "RxReactor", "RxTodo", "RxJSON", "Systemd", arguments, log,
            ],
            path: "Examples/TodoDaemon", swiftSettings: settings),
        // A reader that survives kills, of itself and of the daemon: see docs/library.md.
        .executableTarget(
            name: "FailureReader", dependencies: ["RxClient", "RxProtocol", "RxJSON", "JSONRPC"],
            path: "Examples/FailureReader", swiftSettings: settings),
        program(
            "rxctl",
            [
                "RxTerminal", "RxPictures", "RxStreams", "RxTime", "RxPlatform", "RxClient", "RxProtocol", "JSONRPC",
                "RxJSON", "Jq", "RxLoop", arguments,
            ]),

        // Of tests, for tests: no product has it.
        .executableTarget(
            name: "TimeOracle", dependencies: ["RxTime"], path: "Tests/oracle/TimeOracle", swiftSettings: settings),
        .executableTarget(
            name: "StreamProgramBenchmarks", dependencies: ["RxJq", "RxStreams", "RxTime", "RxJSON"],
            path: "Tests/benchmarks/StreamPrograms", swiftSettings: settings),
        .executableTarget(
            name: "SourceProbe", dependencies: ["RxSources", "RxStreams", "RxPlatform", "RxJSON", "RxLoop"],
            path: "Tests/service/SourceProbe", swiftSettings: settings),
        .executableTarget(
            name: "AlarmBenchmarks", dependencies: ["RxSources", "RxTime", "RxLoop", "RxPlatform", "CMalloc"],
            path: "Benchmarks/AlarmBenchmarks", swiftSettings: settings),
        .executableTarget(
            name: "StreamBenchmarks", dependencies: ["RxStreams", "Rx", "RxTime", "RxJSON"],
            path: "Benchmarks/StreamBenchmarks", swiftSettings: settings),
        .target(
            name: "TestSupport", dependencies: ["Rx", "RxPlatform"], path: "Tests/TestSupport",
            swiftSettings: settings),
        .target(
            name: "HostTestSupport",
            dependencies: [
                "TestSupport", "RxProcess", "RxJq", "RxHost", "RxRecords", "RxAction", "RxPlatform", "Rx", "RxJSON",
                "RxLoop",
            ],
            path: "Tests/HostTestSupport", swiftSettings: settings),
        tests("TestSupportTests", ["TestSupport"]),
        tests("RxTests", ["TestSupport", "Rx", "RxTest"]),
        tests("RxBlockingTests", ["TestSupport", "RxBlocking", "Rx"]),
        tests("RxTestTests", ["TestSupport", "RxTest", "Rx"]),
        tests("RxFoundationTests", ["TestSupport", "RxFoundation", "RxBlocking", "RxTest", "Rx"]),
        tests("RxTraitsTests", ["TestSupport", "RxTraits", "RxTest", "Rx"]),
        tests("RxActionTests", ["TestSupport", "RxAction", "RxTraits", "RxTest", "Rx"]),
        tests("RxReactorTests", ["TestSupport", "RxReactor", "RxTest", "Rx"]),
        // Replays the marble diagrams of the doc comments.
        tests("MarbleTests", ["RxTraits", "RxTest", "Rx"]),
        tests("RxTodoTests", ["TestSupport", "RxTodo", "RxReactor", "RxBlocking", "RxTest", "Rx"]),
        tests("RxJSONTests", ["TestSupport", "RxJSON"]),
        tests("JSONRPCTests", ["JSONRPC", "RxJSON"]),
        tests("RxLoopTests", ["TestSupport", "RxLoop"]),
        tests("UnixSocketTests", ["TestSupport", "UnixSocket", "RxLoop"]),
        tests("RxPlatformTests", ["TestSupport", "RxPlatform"]),
        tests("RxTimeTests", ["TestSupport", "RxTime"]),
        tests(
            "RxStreamsTests",
            ["TestSupport", "RxStreamTest", "RxStreams", "RxAction", "Rx", "RxTime", "RxJSON", "Jq"]),
        tests("RxStreamTestTests", ["RxStreamTest", "RxStreams", "RxAction", "RxTime", "RxJSON", "Jq"]),
        tests(
            "RxSourcesTests",
            ["TestSupport", "RxSources", "RxStreams", "RxTime", "RxPlatform", "Rx", "RxJSON", "RxLoop", "CSystemd"]),
        tests(
            "RxBindingsTests",
            [
                "TestSupport", "RxBindings", "RxStreams", "RxSources", "RxHost", "RxStore", "RxRecords", "RxAction",
                "Rx",
                "RxTime", "RxPlatform", "RxJSON", "RxLoop", "Jq",
            ]),
        tests("RxTerminalTests", ["RxTerminal"]),
        tests("RxPicturesTests", ["TestSupport", "RxPictures", "RxJSON"], data: ["Golden"]),
        tests("SystemdTests", ["TestSupport", "Systemd", "RxPlatform", log]),
        tests("RxProtocolTests", ["RxProtocol", "JSONRPC", "RxJSON"]),
        tests("RxStoreTests", ["TestSupport", "RxStore", "RxRecords", "RxAction", "Rx", "RxJSON", "RxPlatform"]),
        tests(
            "RxHostTests",
            [
                "TestSupport", "RxHost", "RxRecords", "RxStore", "RxAction", "RxReactor", "Rx", "RxJSON", "RxPlatform",
                "CSQLite",
            ]),
        tests(
            "RxServerTests",
            [
                "TestSupport",
                "RxServer", "RxHost", "RxRecords", "RxStore", "RxAction", "RxReactor", "RxProtocol", "JSONRPC",
                "RxJSON", "UnixSocket",
                "RxLoop", "Rx", "RxPlatform", "Systemd",
                log,
            ],
            data: ["Transcripts"]),
        tests("JqTests", ["Jq", "RxStreams", "RxJSON"]),
        tests(
            "RxProcessTests",
            [
                "TestSupport", "HostTestSupport", "RxProcess", "RxHost", "RxRecords", "RxAction", "RxStreams", "RxTime",
                "RxPlatform", "Rx", "RxJSON", "RxLoop",
            ]),
        // A worker of these tests is a process of rxd.
        tests(
            "RxJqTests",
            [
                "TestSupport", "HostTestSupport", "rxd", "RxJq", "Jq", "RxStreams", "RxTime", "RxHost", "RxRecords",
                "RxStore", "RxAction", "RxReactor", "RxPlatform", "Rx", "RxJSON", "RxLoop",
            ]),
        tests(
            "RxConfigurationTests",
            [
                "TestSupport", "HostTestSupport", "RxConfiguration", "RxSources", "RxStreams", "RxStreamTest", "RxTime",
                "RxPlatform", "RxOffline",
                "RxProcess", "RxJq", "Jq", "Rx", "RxHost", "RxRecords", "RxAction", "RxProtocol", "RxJSON", log,
            ]),
        tests(
            "RxClientTests",
            [
                "TestSupport", "RxClient", "Rx", "RxServer", "RxHost", "RxRecords", "RxStore", "RxProtocol", "JSONRPC",
                "RxJSON", "UnixSocket",
                "RxLoop",
                log,
            ],
            data: ["Transcripts"]),
        tests(
            "TodoDaemonTests",
            ["TestSupport", "TodoDaemon", "RxHost", "RxRecords", "RxReactor", "RxTodo", "RxJSON", "Rx"]),
        tests(
            "rxctlTests",
            [
                "TestSupport", "rxctl", "RxTerminal", "RxPictures", "RxPlatform", "RxClient", "RxProtocol", "JSONRPC",
                "RxJSON", "UnixSocket", "RxLoop", arguments,
            ], data: ["Frames"]),
        // The real binaries, started as users start them.
        tests(
            "EndToEndTests",
            [
                "TestSupport", "rxd", "rxctl", "RxTerminal", "TodoDaemon", "RxClient", "RxReactor", "Rx", "RxProtocol",
                "RxJSON", subprocess,
            ], data: ["Misuses/misuses.console"]),
    ],
    cxxLanguageStandard: .cxx17
)

// RX_TARGETS, names separated by spaces, limits the package to these targets and their dependencies: an extra build
// for some of the tests, such as the one with ThreadSanitizer, is then half as long.
if let names = Context.environment["RX_TARGETS"] {
    var needed: Set<String> = []
    var queue = names.split(separator: " ").map(String.init)
    while let name = queue.popLast() {
        guard needed.insert(name).inserted else { continue }
        guard let target = package.targets.first(where: { $0.name == name }) else { fatalError("no target \(name)") }
        for case .byNameItem(let name, _) in target.dependencies { queue.append(name) }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products = []
}
