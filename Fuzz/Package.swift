// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that fuzzing stays out of the product: `Fuzz/run` builds and runs it.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "Fuzz",
    targets: [
        .target(name: "CSimdjson", linkerSettings: [.linkedLibrary("simdjson")]),
        .target(name: "CJSONSchema", linkerSettings: [.linkedLibrary("simdjson"), .linkedLibrary("re2")]),
        .target(name: "RxJSON", dependencies: ["CSimdjson", "CJSONSchema"], swiftSettings: settings),
        .target(name: "JSONRPC", dependencies: ["RxJSON"], swiftSettings: settings),
        .executableTarget(
            name: "JSONFuzz", dependencies: ["JSONRPC", "RxJSON"], path: "JSONFuzz",
            swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])]),
    ],
    cxxLanguageStandard: .cxx17
)
