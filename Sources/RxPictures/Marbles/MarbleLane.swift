internal import RxJSON

/// One event as it is drawn.
struct Mark: Sendable {
    enum Kind: Sendable, Equatable {
        case element
        case error
        case completed
        case lag(Int)
        case firing(MarbleEvent.Firing)
        /// An execution has ended.
        case ended(isGood: Bool)
    }

    var time: Int64
    var kind: Kind
    var value: RawJSON?
    var error: String?
    /// How the execution that a firing started has ended; nil while it has not.
    var outcome: String?
}

/// A time during which something went on; nil where it began before the window or goes on after it.
struct Bar: Sendable, Equatable {
    var start: Int64?
    var end: Int64?
}

/// A lane, with everything that its events mean.
struct MarbleLane: Sendable {
    /// Executions, one after the other, on one line beneath the lane.
    struct Fork: Sendable {
        var bars: [Bar] = []
        var marks: [Mark] = []
    }

    let name: String
    private(set) var marks: [Mark] = []
    /// When the lane itself was executing.
    private(set) var executing: [Bar] = []
    private(set) var forks: [Fork] = []
    /// How many executions have no fork, because too many ran at the same time.
    private(set) var hidden = 0

    /// - Parameter events: those of this lane up to the end of the window, in the order of time.
    init(name: String, events: [MarbleEvent], from: Int64, to: Int64) {
        self.name = name
        var since: Int64??
        var runs: [String: Run] = [:]
        var order: [String] = []
        for event in events {
            let isVisible = event.time >= from
            if let id = event.execution, let mark = Self.markOfRun(event) {
                if runs[id] == nil {
                    runs[id] = Run(start: event.time)
                    order.append(id)
                }
                runs[id]?.add(event, mark: mark.isDrawn ? mark.mark : nil, isVisible: isVisible)
                continue
            }
            switch event.kind {
            case .executing(true): if since == nil { since = .some(isVisible ? event.time : nil) }
            case .executing(false):
                if isVisible { executing.append(Bar(start: since ?? nil, end: event.time)) }
                since = nil
            case .element: add(.element, event, isVisible)
            case .error: add(.error, event, isVisible)
            case .completed: add(.completed, event, isVisible)
            case .lag(let count): add(.lag(count), event, isVisible)
            case .firing(let firing): add(.firing(firing), event, isVisible)
            // Without an identity, the beginning and the end of an execution are those of the lane.
            case .executionStarted: if since == nil { since = .some(isVisible ? event.time : nil) }
            case .executionEnded:
                if isVisible {
                    executing.append(Bar(start: since ?? nil, end: event.time))
                    marks.append(
                        Mark(time: event.time, kind: .ended(isGood: event.error == nil), error: event.error))
                }
                since = nil
            }
        }
        if let since { executing.append(Bar(start: since, end: nil)) }
        addOutcomes(events, runs)
        fork(order.compactMap { runs[$0] }, from: from)
    }

    private mutating func add(_ kind: Mark.Kind, _ event: MarbleEvent, _ isVisible: Bool) {
        guard isVisible else { return }
        marks.append(Mark(time: event.time, kind: kind, value: event.value, error: event.error))
    }

    /// One execution.
    private struct Run {
        var start: Int64
        var end: Int64?
        var hasEnded = false
        var error: String?
        var marks: [Mark] = []

        init(start: Int64) { self.start = start }

        mutating func add(_ event: MarbleEvent, mark: Mark?, isVisible: Bool) {
            if event.kind == .executionEnded {
                hasEnded = true
                end = event.time
                error = event.error
            }
            if isVisible, let mark { marks.append(mark) }
        }
    }

    /// What an event with an execution draws on its fork; nil if it belongs to the lane.
    private static func markOfRun(_ event: MarbleEvent) -> (mark: Mark, isDrawn: Bool)? {
        func mark(_ kind: Mark.Kind) -> Mark {
            Mark(time: event.time, kind: kind, value: event.value, error: event.error)
        }
        switch event.kind {
        case .element: return (mark(.element), true)
        case .error: return (mark(.error), true)
        case .lag(let count): return (mark(.lag(count)), true)
        case .executionStarted: return (mark(.completed), false)
        case .executionEnded: return (mark(.ended(isGood: event.error == nil)), true)
        case .completed, .executing, .firing: return nil
        }
    }

    /// Notes at each firing how its execution ended.
    private mutating func addOutcomes(_ events: [MarbleEvent], _ runs: [String: Run]) {
        var outcomes: [Int64: [String]] = [:]
        for event in events {
            guard case .firing = event.kind, let id = event.execution, let run = runs[id], run.hasEnded else {
                continue
            }
            outcomes[event.time, default: []].append(run.error ?? "succeeded")
        }
        for index in marks.indices {
            guard case .firing = marks[index].kind, let outcome = outcomes[marks[index].time]?.first else { continue }
            marks[index].outcome = outcome
        }
    }

    /// Gives each execution a line on which nothing else runs at its time.
    private mutating func fork(_ runs: [Run], from: Int64) {
        for run in runs {
            if let end = run.end, end < from { continue }
            let free = forks.firstIndex { fork in
                fork.bars.last.flatMap { $0.end }.map { $0 < run.start } ?? false
            }
            guard let row = free ?? (forks.count < Marbles.mostForks ? forks.count : nil) else {
                hidden += 1
                continue
            }
            if row == forks.count { forks.append(Fork()) }
            forks[row].bars.append(Bar(start: run.start < from ? nil : run.start, end: run.end))
            forks[row].marks += run.marks
        }
        for row in forks.indices { forks[row].marks.sort { $0.time < $1.time } }
    }
}
