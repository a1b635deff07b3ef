import Foundation
import RxJSON
import RxStreams

@testable import RxSources

/// Collects what a source emits; settles each batch at once unless `isManual`.
final class Collector: SourceReceiver, @unchecked Sendable {
    // Sendable: the lock protects the state.
    private let lock = NSLock()
    private var collected: [SourceElement] = []
    private var reasons: [String?] = []
    private weak var source: (any StreamSource)?
    /// Called within `receive`, on the source's thread.
    private let whenReceived: @Sendable (Collector) -> Void
    private let isManual: Bool

    init(isManual: Bool = false, whenReceived: @escaping @Sendable (Collector) -> Void = { _ in }) {
        self.isManual = isManual
        self.whenReceived = whenReceived
    }

    func start(_ source: any StreamSource, after position: RawJSON? = nil) {
        self.source = source
        source.start(after: position, into: self)
    }

    func receive(_ elements: [SourceElement]) {
        // Before it is seen, so that a test that sees an element and stops the source stops it settled.
        if !isManual { source?.settled(through: elements.last?.position) }
        lock.withLock { collected += elements }
        whenReceived(self)
    }

    func report(waiting reason: String?) { lock.withLock { reasons.append(reason) } }
    func report(error message: String, element: RawJSON?) {}
    func report(lost count: Int?) {}
    func finish() {}

    var elements: [SourceElement] { lock.withLock { collected } }
    var count: Int { lock.withLock { collected.count } }
    var waiting: String? { lock.withLock { reasons.last ?? nil } }
    var hasReported: Bool { lock.withLock { !reasons.isEmpty } }

    /// `event name`, with `from` in parentheses, below a root.
    func events(below root: String) -> [String] {
        elements.map {
            let object = $0.value.value().object!
            func name(_ path: String) -> String { String(path.dropFirst(root.count + 1)) }
            let from = object["from"]!.string.map { " (\(name($0)))" } ?? ""
            return "\(object["event"]!.string!) \(name(object["path"]!.string!))\(from)"
        }
    }

    var lines: [String] { elements.map { $0.value.value().object!["line"]!.string! } }
    var paths: [String] { elements.map { $0.value.value().object!["path"]!.string! } }
}
