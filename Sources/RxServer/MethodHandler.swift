internal import JSONRPC
internal import RxJSON
internal import RxProtocol

/// One request for a method of the protocol. Each method is a type of its own, in a file of `Methods/`.
///
/// A handler is made and used on the loop, once per request, and always through its concrete type.
protocol MethodHandler {
    /// The method that it handles; its contract names the parameters.
    static var method: Method { get }

    /// Whether the method does nothing but answer, so that a notification of it is dropped once it is checked, and so
    /// is a request of a peer that is gone.
    static var onlyAnswers: Bool { get }

    /// Reads the params and checks the rights that the request needs. Nothing has changed when it returns.
    ///
    /// - Throws: the error that answers the request.
    init(_ params: JSONView?, _ call: Call) throws(RPCError)

    /// Carries the request out, and answers now or later.
    ///
    /// - Throws: the error that answers the request, if nothing else has answered it.
    func perform() throws(RPCError)
}

extension MethodHandler {
    static var onlyAnswers: Bool { false }
}
