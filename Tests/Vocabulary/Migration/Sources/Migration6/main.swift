try await accepted()
Checks.all.end("Swift 6 client with the trait Migration")
