internal import RxStore

/// Finds the next page of a query that can be read, and passes over what is damaged before it: a small part of the log
/// first, and twice as much each time that this does not suffice, so that a log of which nothing can be read ends soon.
struct ReadablePage: Sendable {
    /// What was found.
    struct Found: Sendable {
        /// The page; nil if none can be read.
        let page: LogPage?
        /// Everything up to here, from the beginning of the query on, cannot be read; nil if all can.
        let unread: UInt64?

        /// Nothing can be read.
        static let nothing = Found(page: nil, unread: nil)
    }

    typealias Read =
        @Sendable (LogQuery, _ completion: @escaping @Sendable (Result<LogPage, StoreError>) -> Void) -> Void

    /// The numbers that are passed over first: a page of the database has some tens of events.
    private static let firstStep: UInt64 = 256

    private let query: LogQuery
    private let read: Read
    /// Where the search has come: everything up to here cannot be read.
    private var after: UInt64
    private var step = ReadablePage.firstStep
    /// Whether a part is read that is as small as a step.
    private var isSmall = false

    init(_ query: LogQuery, _ read: @escaping Read) {
        self.query = query
        self.read = read
        after = query.after
    }

    /// - Parameter completion: called once, on any thread: with nil if too many reads wait.
    func find(_ completion: @escaping @Sendable (Found?) -> Void) {
        read(part) { result in
            switch result {
            case .success(let page): completion(Found(page: page, unread: after > query.after ? after : nil))
            case .failure(.overloaded): completion(nil)
            case .failure:
                // The place of a time is a part of the page.
                guard query.since == nil, let next else { return completion(.nothing) }
                next.find(completion)
            }
        }
    }

    /// The part of the query that is read now.
    private var part: LogQuery {
        var part = query
        part.after = after
        if isSmall { part.through = end }
        // What goes on after damage has to be looked for.
        if after > query.after { part.started = nil }
        return part
    }

    private var end: UInt64 { min(query.through, after.addingReportingOverflow(step).partialValue) }

    /// The search after this one; nil at the end of the query.
    private var next: ReadablePage? {
        var next = self
        if isSmall {
            (next.after, next.step, next.isSmall) = (end, step.multipliedReportingOverflow(by: 2).partialValue, false)
        } else {
            // What is before the damage can be read.
            next.isSmall = true
        }
        return next.after < query.through ? next : nil
    }
}
