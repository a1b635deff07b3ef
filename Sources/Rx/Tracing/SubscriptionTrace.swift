/// The chain of operators between a source and an observer.
public struct SubscriptionTrace: Sendable {
    /// One observable of the chain: a source or an operator.
    public struct Step: Sendable {
        /// The name of the operator in source code.
        public let name: String
        /// The type of its elements.
        public let element: String
        /// The number of operators with several sources between this one and the observer.
        public let depth: Int
        let madeBy: MadeBy

        /// The application's function that created it, or the argument of `trace(_:)`; nil if unknown.
        public var place: String? { madeBy.place }
    }

    /// The steps from the source to the observer. The sources of an operator with several precede it, one chain after
    /// the other.
    public let steps: [Step]
    /// The receiver of the events: an operator, or a generic description for a subscription of the application.
    public let observer: String
    let subscribedBy: MadeBy

    /// The application's function that subscribed, or whose event or subscription caused the library to subscribe.
    public var place: String? { subscribedBy.place }

    enum MadeBy: Sendable {
        case unknown
        case named(String)
        case called([UInt])

        var place: String? {
            switch self {
            case .unknown: nil
            case .named(let place): place
            case .called(let addresses): CallStack.application(addresses).map { "in \($0)" }
            }
        }
    }
}

extension SubscriptionTrace: CustomStringConvertible {
    /// One line per step, indented for several sources, and one for the subscription.
    public var description: String {
        let lines = steps.map { step in
            let indent = String(repeating: "    ", count: step.depth)
            return "\(indent)\(step.name) <\(step.element)>\(step.place.map { ", \($0)" } ?? "")"
        }
        return (lines + ["\(observer)\(place.map { " \($0)" } ?? "")"]).joined(separator: "\n")
    }
}

extension CallStack {
    /// The innermost function that belongs neither to this library nor to the system.
    static func application(_ addresses: [UInt]) -> String? {
        frames(addresses).first { frame in
            guard let symbol = frame.symbol else { return false }
            if symbol == "main" { return true }
            // A mangled name begins with the length and the name of its module: `2Rx`.
            return symbol.hasPrefix("$s") && symbol.dropFirst(2).first?.isNumber == true && !symbol.hasPrefix("$s2Rx")
        }?.function
    }
}
