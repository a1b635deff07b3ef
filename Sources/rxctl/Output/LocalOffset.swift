internal import Glibc

/// The machine's time zone.
enum LocalOffset {
    /// The seconds that local time is ahead of UTC.
    ///
    /// - Parameter time: in milliseconds since 1970.
    static func seconds(at time: Int64) -> Int {
        var seconds = time_t(time / 1000)
        var local = tm()
        return localtime_r(&seconds, &local) == nil ? 0 : local.tm_gmtoff
    }
}
