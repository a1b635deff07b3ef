internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxRecords

// About how long parts of answers are, in bytes: what an answer reserves before it is written.

extension ExecutionRecord {
    /// Bytes of the fields that every record has.
    private static let usualBytes = 512
    /// The most bytes of the record of an execution that has ended.
    static let bytesOfEnded = usualBytes + inputBytesKept + errorBytesKept

    var approximateBytes: Int { Self.usualBytes + (input?.utf8.count ?? 0) + errorBytes }

    /// The approximate bytes of its error.
    var errorBytes: Int {
        // Shortened when the execution ended.
        guard case .failed(let failure) = error else { return 0 }
        return failure.facts.reduce(failure.message.utf8.count) {
            $0 + $1.key.utf8.count + $1.value.bytes(upTo: Self.errorBytesKept)
        }
    }
}

extension ActionLevels {
    /// In a snapshot, with the records of the executions in flight.
    var approximateBytes: Int { executions.reduce(256) { $0 + $1.approximateBytes } }
}

extension HostedAction {
    /// In a list.
    var approximateBytes: Int {
        let definition = definition
        return 512 + (definition.summary?.utf8.count ?? 0) + (definition.schema?.source.utf8.count ?? 0)
    }
}

extension HostedReactor {
    /// In a list, without its schema.
    var approximateBytes: Int { 512 + (definition.summary?.utf8.count ?? 0) }
}
