import Rx
import RxClient
import RxJSON
import RxProtocol

/// The example of `RxClient` in docs/library.md, except for the socket's path. A test compares the two and runs this
/// one.
func clientExample(socket: String, print: @escaping @Sendable (Any) -> Void) async throws {
    // Document: begin
    let client = try await Client.connect(path: socket, reconnecting: .forever)
    for try await element in client.elements(of: "countdown", ["from": 3]) { print(element) }  // leaving withdraws
    let greeting = client.execute("greet", ["name": "World"]).map(\.text)  // Observable: each subscription executes
    let disposable = greeting.subscribe(onNext: { print($0) }, onError: { print("refused: \($0)") })
    for try await element in try await client.subscribe(SubscribeRequest(action: ["echo"], channels: [.elements])) {
        switch element {  // goes on through restarts of the daemon
        case .event(let event): print("\(event.channel): \(event.value?.text ?? "")")
        case .gap(let gap): print("missed what came after \(gap.after ?? "the start")")
        }
    }
    // Document: end
    disposable.dispose()
}
