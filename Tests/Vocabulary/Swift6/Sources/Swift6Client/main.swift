try await strictPrograms()
try await vocabulary("Swift 6 client")
