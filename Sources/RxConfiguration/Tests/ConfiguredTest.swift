package import RxHost
package import RxJSON

/// One `[test.NAME]` of a file in the directory `tests`.
package struct ConfiguredTest: Sendable, Equatable {
    /// What is tested.
    package enum Subject: Sendable, Hashable {
        /// Its elements.
        case stream(String)
        /// Its firings.
        case action(String)
        /// Its states.
        case reactor(String)
    }

    /// How an execution of a mocked action goes.
    package struct Outcome: Sendable, Hashable {
        /// How it ends.
        package enum Result: Sendable, Hashable {
            /// It emits these elements and succeeds.
            case elements([RawJSON])
            /// It fails with this error.
            case error(RawJSON)
            /// It does not start, for the reason of this name.
            case refused(String)
        }

        package var result: Result
        /// Microseconds until it ends.
        package var takes: Int64

        package init(_ result: Result, takes: Int64 = 0) {
            self.result = result
            self.takes = takes
        }
    }

    package var name: String
    /// Where the table begins.
    package var line: SourceLine
    package var subject: Subject
    /// Words of marbles by their sources: the name of a stream, `source`, or a kind of source with its argument, such
    /// as `action:deploy`.
    package var given: [String: String] = [:]
    /// What the letters stand for.
    package var values: [String: RawJSON] = [:]
    /// Words of marbles.
    package var expect: String
    /// The times of the clock at the start and the end, in the form of RFC 3339; nil for the defaults.
    package var from: String?
    package var to: String?
    /// The time zone; nil for the default.
    package var zone: String?
    /// The outcomes of executions, in order, by the names of actions.
    package var mock: [String: [Outcome]] = [:]
    /// The lines of its keys, such as `given.source`.
    package var lines: [String: SourceLine] = [:]
}
