// swift-tools-version: 6.2
import PackageDescription

// A client in the language of the years before Swift 6, which must compile, with warnings.
let package = Package(
    name: "Swift5Client",
    dependencies: [.package(name: "rxd", path: "../../..")],
    targets: [
        .executableTarget(
            name: "Swift5Client",
            dependencies: ["Rx", "RxAction", "RxReactor", "RxBlocking", "RxTest", "RxTraits", "RxFoundation"].map {
                .product(name: $0, package: "rxd")
            },
            swiftSettings: [.swiftLanguageMode(.v5)])
    ]
)
