internal import RxLoop

/// The name of an errno: "ENOENT". A number without a known name is "errno 123".
func errnoName(_ code: Int32) -> String {
    SystemErrorName.name(of: code) ?? "errno \(code)"
}

/// Name and sentence: "ENOENT (No such file or directory)".
func errnoText(_ code: Int32) -> String {
    "\(errnoName(code)) (\(SystemErrorName.sentence(of: code)))"
}
