// swift-tools-version: 6.2
import PackageDescription

// Clients on their way from RxSwift, in both language modes: the same files, which must compile, with warnings.
func client(_ name: String, _ mode: SwiftLanguageMode) -> Target {
    .executableTarget(
        name: name,
        dependencies: ["Rx", "RxAction", "RxReactor", "RxTest", "RxTraits", "RxFoundation"].map {
            .product(name: $0, package: "rxd")
        },
        swiftSettings: [.swiftLanguageMode(mode)])
}

let package = Package(
    name: "MigrationClients",
    dependencies: [.package(name: "rxd", path: "../../..", traits: ["Migration"])],
    targets: [client("Migration5", .v5), client("Migration6", .v6)]
)
