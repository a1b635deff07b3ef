package import RxJSON

/// The key that a requester gave to an execution, so that a repeated request finds the same execution.
public struct ExecutionKey: Sendable, Hashable {
    /// The key as the requester wrote it.
    public let text: String
    /// The user of the requester: keys of different users are different keys.
    public let uid: UInt32
    /// A hash of the input, by which another input under the same key is recognized, also after a restart.
    public let inputHash: String

    /// A key whose input is known by its hash only.
    public init(_ text: String, uid: UInt32, inputHash: String) {
        self.text = text
        self.uid = uid
        self.inputHash = inputHash
    }
}

extension ExecutionKey {
    /// A key without the input it was given with.
    package struct Identity: Hashable, Sendable {
        package let text: String
        package let uid: UInt32

        package init(text: String, uid: UInt32) {
            self.text = text
            self.uid = uid
        }

        /// The key that a requester has given.
        package init(_ text: String, by origin: Origin) {
            self.text = text
            uid =
                switch origin {
                case .peer(let uid, _, _): uid
                case .rule, .stream, .host, .other: .max
                }
        }
    }

    package var identity: Identity { Identity(text: text, uid: uid) }

    /// - Parameter salt: the secret of the hash; another one gives another hash.
    package init(_ text: String, by origin: Origin, input: RawJSON, salt: InputSalt) {
        self.init(text, by: origin, inputHash: salt.hash(input))
    }

    package init(_ text: String, by origin: Origin, inputHash: String) {
        self.init(text, uid: Identity(text, by: origin).uid, inputHash: inputHash)
    }
}
