import RxRecords
import Rx
import RxHost
import RxJSON
import RxReactor

/// A lamp: `"on"` and `"off"` switch it, `"blink"` does both, `"break"` fails after one mutation.
final class Lamp: Reactor {
    enum Action: String { case on, off, blink, `break` }
    struct Broken: Error {}

    let initialState = JSONValue.object(["on": false, "switched": 0, "notes": ["a", "b", "c"]])
    let store = ReactorStore<Action, Bool, JSONValue>()

    func mutate(action: Action) -> Observable<Bool> {
        switch action {
        case .on: .just(true)
        case .off: .just(false)
        case .blink: .of(true, false)
        case .break: .concat([.just(true), .error(Broken())])
        }
    }

    func reduce(state: JSONValue, mutation: Bool) -> JSONValue {
        guard var lamp = state.object else { return state }
        lamp["on"] = .bool(mutation)
        lamp["switched"] = JSONValue((lamp["switched"]?.number?.int ?? 0) + 1)
        return .object(lamp)
    }
}

extension TestServer {
    static let reactors: [ReactorDefinition] = [lamp("lamp"), lamp("other")]

    static func lamp(_ name: String, access: Access = Access()) -> ReactorDefinition {
        var definition = ReactorDefinition(
            name: name, summary: "On or off.", kind: "test", fingerprint: "lamp",
            coding: ReactorCoding<Lamp>(
                action: { action throws(InputFault) in
                    guard let text = action.value().string, let action = Lamp.Action(rawValue: text) else {
                        throw InputFault(path: "", message: "must be on, off, blink or break")
                    }
                    return action
                },
                mutation: { RawJSON(.bool($0)) },
                state: { JSONState($0) },
                restored: { $0.object == nil ? nil : $0 }),
            make: { Lamp() })
        definition.access = access
        return definition
    }
}
