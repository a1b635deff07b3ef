// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "EmbeddedDaemon",
    dependencies: [.package(name: "rxd", path: "../..")],
    targets: [
        .executableTarget(name: "EmbeddedDaemon", dependencies: [.product(name: "RxHost", package: "rxd")])
    ],
    cxxLanguageStandard: .cxx17
)
