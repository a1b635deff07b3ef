// Hosted reactors, in the process: dispatches a second, and what it costs to publish one changed cell of ten thousand.

import Glibc
import Rx
import RxHost
import RxJSON
import RxReactor

/// The smallest: its state is a number, and an action a number to add.
final class Counter: Reactor {
    typealias Action = Int

    let initialState = 0
    let store = ReactorStore<Int, Int, Int>()

    func reduce(state: Int, mutation: Int) -> Int { state &+ mutation }

    static func definition() -> ReactorDefinition {
        ReactorDefinition(
            name: "counter", kind: "benchmark", fingerprint: "counter",
            coding: ReactorCoding<Counter>(
                action: { json throws(InputFault) in
                    guard let number = json.value().int else { throw InputFault(path: "", message: "must be a number") }
                    return number
                },
                mutation: { RawJSON(JSONValue($0)) }, state: { JSONState(JSONValue($0)) }, restored: { $0.int }),
            make: { Counter() })
    }
}

struct Cell: Identifiable, Equatable, Sendable {
    let id: String
    var title: String
    var memo: String
    var isDone = false

    var json: JSONValue {
        .object(["id": .string(id), "title": .string(title), "memo": .string(memo), "done": .bool(isDone)])
    }
}

/// Like the state of TodoDaemon's reactor `tasks`.
struct CellsState: ReactorState {
    let cells: KeyedList<Cell>

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.array("tasks") { writer in
                for cell in cells {
                    writer.object { writer in
                        writer.field("id", cell.id)
                        writer.field("title", cell.title)
                        writer.field("memo", cell.memo)
                        writer.field("done", cell.isDone)
                    }
                }
            }
        }
    }

    func patch(from earlier: any ReactorState) -> JSONPatch {
        guard let earlier = earlier as? CellsState else { return JSONPatch() }
        return JSONPatch(from: earlier.cells, to: cells, at: JSONPointer(tokens: ["tasks"]), \.json)
    }
}

let rounds = 5

/// Nanoseconds that this thread has been on a core, which the load of others leaves alone.
func cpu() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

/// Nanoseconds of the fastest of some rounds.
@MainActor
func fastest(_ count: Int, _ body: () -> Void) -> Double {
    (0..<rounds).map { _ in
        let before = cpu()
        body()
        return (cpu() - before) / Double(count)
    }.min() ?? 0
}

// MARK: Dispatch

let host = Host([], reactors: [Counter.definition()])
try host.startReactors()
guard let counter = host.registry.reactor("counter") else { preconditionFailure("there is a counter") }
let one = RawJSON(1)
let million = 1_000_000
let answered = Locked<UInt64>(0)

@MainActor
func reportDispatch(_ name: String) {
    let before = counter.now.revision
    let ns = fastest(million) {
        for index in 0..<million {
            counter.dispatch(one, by: .host) { result in
                if case .success(let revision) = result { answered.withLock { $0 = revision } }
            }
            // As the loop of a server does, once a turn.
            if index % 64 == 63 { _ = host.log.drain() }
        }
    }
    precondition(answered.withLock { $0 } == before + UInt64(rounds * million), "every dispatch is answered")
    print("\(name): \(Int(ns)) ns, \(Int(1e9 / ns)) a second; to reach: 200000")
}

reportDispatch("dispatch of a compiled-in reactor")
counter.watchPatches(1)
reportDispatch("the same, its patches wanted")

// MARK: A cell

let count = 10_000
let cells = KeyedList(
    (0..<count).map { Cell(id: "id-\($0)", title: "the title of cell \($0)", memo: "a memo of some length \($0)") })
var state = CellsState(cells: cells)
var written = 0
var bytes = 0
let whole = fastest(10) {
    for _ in 0..<10 {
        var writer = JSONWriter()
        state.write(to: &writer)
        written = writer.bytes.count
    }
}
let changes = 1000
let cell = fastest(changes) {
    for index in 0..<changes {
        var next = state.cells
        next.update(id: "id-\(index * 10)") { $0.isDone.toggle() }
        let after = CellsState(cells: next)
        var writer = JSONWriter()
        after.patch(from: state).write(to: &writer)
        bytes = max(bytes, writer.bytes.count)
        state = after
    }
}
print(
    "one of \(count) cells changed: reduced, compared and written in \(Int(cell)) ns, \(bytes) bytes at most; "
        + "the whole state written in \(Int(whole)) ns, \(written) bytes: 1/\(Int(whole / cell)); to reach: 1/100")
