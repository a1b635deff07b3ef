import Foundation
import Rx

/// What was found, compared with what was wanted; both clients end with its verdict.
final class Checks: @unchecked Sendable {
    // Unchecked: what changes is guarded by `lock`.
    static let all = Checks()

    private let lock = NSLock()
    private var passed = 0
    private var failed = 0

    func note(_ isRight: Bool, _ message: @autoclosure () -> String, _ file: String, _ line: UInt) {
        lock.lock()
        defer { lock.unlock() }
        if isRight {
            passed += 1
        } else {
            failed += 1
            print("\(file):\(line): \(message())")
        }
    }

    /// Ends the program, as failed when anything was not as wanted.
    func end(_ client: String) -> Never {
        lock.lock()
        defer { lock.unlock() }
        print("\(client): \(passed) checks passed, \(failed) failed")
        exit(failed == 0 ? 0 : 1)
    }
}

func check<Value: Equatable>(
    _ found: Value, _ wanted: Value, file: StaticString = #fileID, line: UInt = #line
) {
    Checks.all.note(found == wanted, "found \(found), wanted \(wanted)", "\(file)", line)
}

enum End: Equatable {
    case completed
    case failed
    case open
}

/// Subscribes, and compares what came synchronously.
func expect<Source: ObservableConvertibleType>(
    _ source: Source, gives wanted: [Source.Element], then end: End = .completed,
    file: StaticString = #fileID, line: UInt = #line
) where Source.Element: Equatable {
    let elements = Log<Source.Element>()
    let ends = Log<End>()
    let subscription = source.asObservable().subscribe(
        onNext: { elements.append($0) },
        onError: { _ in ends.append(.failed) },
        onCompleted: { ends.append(.completed) })
    subscription.dispose()
    Checks.all.note(
        elements.entries == wanted && ends.entries == (end == .open ? [] : [end]),
        "found \(elements.entries) then \(ends.entries), wanted \(wanted) then \(end)", "\(file)", line)
}

/// Subscribes to what has no elements.
func expectEnd<Source: ObservableConvertibleType>(
    _ source: Source, _ wanted: End = .completed, file: StaticString = #fileID, line: UInt = #line
) {
    let ends = Log<End>()
    source.asObservable().subscribe(onError: { _ in ends.append(.failed) }, onCompleted: { ends.append(.completed) })
        .dispose()
    check(ends.entries, wanted == .open ? [] : [wanted], file: file, line: line)
}

/// Collects entries from closures that may run anywhere.
final class Log<Entry>: @unchecked Sendable {
    // Unchecked: what changes is guarded by `lock`.
    private let lock = NSLock()
    private var kept: [Entry] = []

    func append(_ entry: Entry) {
        lock.lock()
        defer { lock.unlock() }
        kept.append(entry)
    }

    var entries: [Entry] {
        lock.lock()
        defer { lock.unlock() }
        return kept
    }
}

enum Failure: Error, Equatable {
    case one
    case two
}
