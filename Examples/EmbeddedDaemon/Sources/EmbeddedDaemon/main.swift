import RxHost
import RxJSON
import RxReactor
import RxRecords
import RxServer

// A daemon with an action and a reactor of its own: EmbeddedDaemon SOCKET
//
//     rxctl --socket SOCKET execute double 21      42
//     rxctl --socket SOCKET dispatch counter 5     {"reactor":"counter","revision":1}

let double = ActionDefinition(name: "double", kind: "swift", fingerprint: "1") { invocation in
    guard let number = invocation.input.value().int else {
        return .error(WorkFailure(message: "the input must be an integer", mayPass: false))
    }
    return .just(RawJSON(JSONValue(number * 2)))
}

final class Counter: Reactor {
    let initialState = 0
    let store = Store()
    func reduce(state: Int, mutation: Int) -> Int { state + mutation }
}

let coding = ReactorCoding<Counter>(
    action: { action throws(InputFault) in
        guard let number = action.value().int else { throw InputFault(path: "", message: "must be an integer") }
        return number
    },
    mutation: { RawJSON(JSONValue($0)) },
    state: { JSONState(JSONValue($0)) },
    restored: { $0.int })

let counter = ReactorDefinition(name: "counter", kind: "swift", fingerprint: "1", coding: coding) { Counter() }

try HostDaemon.serve([double], reactors: [counter], socket: CommandLine.arguments.last ?? "")
