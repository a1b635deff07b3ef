import RxClient

let client = try await Client.connect(path: CommandLine.arguments[1])
do {
    for try await element in client.elements(of: "double", 21) { print(element) }
} catch ClientError.refused(let error) {
    print(error.message)
}
