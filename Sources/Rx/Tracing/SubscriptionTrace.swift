/// The operators between a source and an observer.
public struct SubscriptionTrace: Sendable {
    /// One observable of the chain: a source or an operator.
    public struct Step: Sendable {
        /// As the operator is called in a program.
        public let name: String
        /// The type of its elements.
        public let element: String
        /// How many operators with several sources are between this one and the observer.
        public let depth: Int
        let madeBy: MadeBy

        /// The function of the application that made it, or what `trace(_:)` was told; nil when that is not known.
        public var place: String? { madeBy.place }
    }

    /// From the source to the observer. The sources of an operator with several come before it, one chain after the other.
    public let steps: [Step]
    /// What receives the events: nothing of note for a subscription of the application, an operator for others.
    public let observer: String
    let subscribedBy: MadeBy

    /// The function of the application that subscribed, or whose event or subscription made the library subscribe.
    public var place: String? { subscribedBy.place }

    enum MadeBy: Sendable {
        case unknown
        case told(String)
        case called([UInt])

        var place: String? {
            switch self {
            case .unknown: nil
            case .told(let place): place
            case .called(let addresses): CallStack.application(addresses).map { "in \($0)" }
            }
        }
    }
}

extension SubscriptionTrace: CustomStringConvertible {
    /// A line for each step, those of several sources indented, and one for the subscription.
    public var description: String {
        let lines = steps.map { step in
            let indent = String(repeating: "    ", count: step.depth)
            return "\(indent)\(step.name) <\(step.element)>\(step.place.map { ", \($0)" } ?? "")"
        }
        return (lines + ["\(observer)\(place.map { " \($0)" } ?? "")"]).joined(separator: "\n")
    }
}

extension CallStack {
    /// The innermost function that is not of this library or of the system.
    static func application(_ addresses: [UInt]) -> String? {
        frames(addresses).first { frame in
            guard let symbol = frame.symbol else { return false }
            if symbol == "main" { return true }
            // A mangled name begins with the length and the name of its module: `2Rx`.
            return symbol.hasPrefix("$s") && symbol.dropFirst(2).first?.isNumber == true && !symbol.hasPrefix("$s2Rx")
        }?.function
    }
}
