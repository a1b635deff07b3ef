/// RxTime: the times of streams, computed. It reads calendar and cron expressions and the zones of tzdata, and it finds
/// the slots of a schedule: the instants at which a stream emits.
///
/// Rules:
/// * The module has no clock. Every function gets the instants it works with, so that a test or a simulation of a year
///   takes microseconds. Only `SystemZoneFiles` uses the system, to read zone files.
/// * An expression whose hour or minute begins with `*` is an interval: it has a slot at every instant whose local time
///   matches. Every other expression is fixed: a local time that the clock skips has its slot at the first instant that
///   exists, and one that occurs twice has its slot at the first occurrence. Two slots at one instant are one slot.
/// * The first instant at which a zone's clock shows a local time or a later one is the slot of a fixed local time.
///   Both rules for clock changes follow from that definition, and slots have the order of their local times.
/// * Slots lie in the years 1970 to 2199 of the local calendar, as those of systemd do. That bounds a search: one pass
///   over 2,760 months, and one step for each clock change that skips what would match.
/// * An expression that can have no slot in these years is a fault. One that can, but only in the past, is valid.
///
/// Reading order: Instant, LocalTime, CivilDate; TimeZoneRules, ZonePeriod, LocalResolution, TZifFile, PosixRule,
/// ZoneFiles; LocalPattern, DayRule, TimeOfDayPattern; CalendarExpression, CronExpression; Schedule, EverySchedule,
/// WallClockSchedule, FixedSlots, IntervalSlots; MissedSlots, Jitter, SlotElement.
