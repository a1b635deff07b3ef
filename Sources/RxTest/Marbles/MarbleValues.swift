internal import Rx

/// The default error of `#` in a diagram.
public struct MarbleError: Error, Equatable, Sendable {
    /// Creates the error. All instances are equal.
    public init() {}
}

/// The values of the names in a diagram.
struct MarbleValues<Element: RxSendable>: Sendable {
    let named: [Character: Element]
    let error: any Error
    /// The value of a name that is not in `named`; nil if there is none.
    let otherwise: @Sendable (Character) -> Element?

    /// Throws if a name is not valid in a diagram.
    init(
        _ values: [String: Element], _ error: any Error, otherwise: @escaping @Sendable (Character) -> Element?
    ) throws(MarbleNameError) {
        var named: [Character: Element] = [:]
        for (name, value) in values {
            guard name.count == 1, let character = name.first, character.isLetter || character.isNumber else {
                throw MarbleNameError(name: name)
            }
            named[character] = value
        }
        self.named = named
        self.error = error
        self.otherwise = otherwise
    }

    /// The events of a diagram with their frames. Throws for a name without a value.
    func events(of diagram: MarbleDiagram) throws(MarbleSyntaxError) -> [Recorded<Event<Element>>] {
        var events: [Recorded<Event<Element>>] = []
        for entry in diagram.entries {
            switch entry.mark {
            case .value(let name):
                guard let value = named[name] ?? otherwise(name) else {
                    throw diagram.error(entry.column, "`values` has no value for `\(name)`")
                }
                events.append(.next(entry.frame, value))
            case .completed: events.append(.completed(entry.frame))
            case .failed: events.append(.error(entry.frame, error))
            case .subscribed, .unsubscribed: break
            }
        }
        return events
    }
}

struct MarbleNameError: Error, CustomStringConvertible {
    let name: String

    var description: String { "marble values: \"\(name)\" is not the name of a value, one letter or digit is" }
}
