/// Whether `byte` is one of the four white-space characters of JSON.
@inlinable
func isWhiteSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
}
