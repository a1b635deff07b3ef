internal import RxJSON

extension MethodDescription {
    static let rpcDiscover = MethodDescription(
        method: .rpcDiscover,
        summary: "This document.", parameters: [],
        result: ("document", Schema.object), errors: [])

    static let serverHello = MethodDescription(
        method: .serverHello,
        summary: "Who is who, and what both can do. Optional.",
        parameters: [
            .init(name: "client", required: false, schema: Schema.string, summary: "The client's name, for logs."),
            .init(
                name: "protocol", required: false, schema: Schema.object,
                summary: "The versions the client speaks, {min, max}."),
            .init(
                name: "require", required: false, schema: Schema.strings,
                summary: "Features without which the client cannot go on."),
            .init(name: "prefer", required: false, schema: Schema.strings, summary: "Features it would use."),
        ],
        result: ("hello", Schema.object), errors: [.featureMissing])

    static let serverStatus = MethodDescription(
        method: .serverStatus,
        summary: "Figures of the daemon.", parameters: [],
        result: ("status", Schema.object), errors: [])

    static let serverReload = MethodDescription(
        method: .serverReload,
        summary: "Reads the configuration again.",
        parameters: [
            .init(
                name: "dryRun", required: false, schema: Schema.boolean, summary: "Tell what would change, only.")
        ],
        result: ("change", Schema.object), errors: [.forbidden])
}
