// swift-tools-version: 6.2
import PackageDescription

// What is measured in Swift. A package of its own, so that what it compares with never becomes a dependency of the
// product.
let package = Package(
    name: "Benchmarks",
    dependencies: [
        .package(name: "rxd", path: ".."),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    ],
    targets: [
        .target(name: "CAllocations"),
        .executableTarget(
            name: "ActionBenchmarks",
            dependencies: [
                "CAllocations",
                .product(name: "Rx", package: "rxd"),
                .product(name: "RxAction", package: "rxd"),
            ],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]),
        .executableTarget(
            name: "CoreBenchmarks",
            dependencies: [
                "CAllocations",
                .product(name: "Rx", package: "rxd"),
                .product(name: "OpenCombine", package: "OpenCombine"),
                .product(name: "OpenCombineDispatch", package: "OpenCombine"),
            ],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]),
        .executableTarget(
            name: "HostedReactorBenchmarks",
            dependencies: [
                .product(name: "Rx", package: "rxd"),
                .product(name: "RxReactor", package: "rxd"),
                .product(name: "RxHost", package: "rxd"),
                // For RxJSON.
                .product(name: "RxClient", package: "rxd"),
            ],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]),
        .executableTarget(
            name: "ReactorBenchmarks",
            dependencies: [
                .product(name: "Rx", package: "rxd"),
                .product(name: "RxReactor", package: "rxd"),
            ],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]),
    ]
)
