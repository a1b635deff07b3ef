// swift-tools-version: 6.2
import PackageDescription

// A client as strict as the library itself, which must compile without a warning.
let package = Package(
    name: "Swift6Client",
    dependencies: [.package(name: "rxd", path: "../../..")],
    targets: [
        .executableTarget(
            name: "Swift6Client",
            dependencies: ["Rx", "RxAction", "RxReactor", "RxBlocking", "RxTest", "RxTraits", "RxFoundation"].map {
                .product(name: $0, package: "rxd")
            },
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .treatAllWarnings(as: .error),
            ])
    ]
)
