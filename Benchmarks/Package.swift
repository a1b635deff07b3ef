// swift-tools-version: 6.2
import PackageDescription

// What is measured in Swift. A package of its own, so that what it compares with never becomes a dependency of the product.
let package = Package(
    name: "Benchmarks",
    dependencies: [.package(name: "rxd", path: "..")],
    targets: [
        .executableTarget(
            name: "CoreBenchmarks",
            dependencies: [.product(name: "Rx", package: "rxd")],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ])
    ]
)
