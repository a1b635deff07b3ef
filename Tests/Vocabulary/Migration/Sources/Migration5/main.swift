try await accepted()
Checks.all.end("Swift 5 client with the trait Migration")
