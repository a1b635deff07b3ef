classicPrograms()
try await vocabulary("Swift 5 client")
