/** What an alert is: its rule, and what it must and must not fire for. */

/** A series that Prometheus is given in the test of a rule. */
export interface InputSeries {
  /** Name and labels, without `job` and `instance`, which every scraped series has. */
  readonly series: string
  /** Values at every minute, in the notation of `promtool test rules`. */
  readonly values: string
}

/** What was scraped, and when the rule is looked at. */
export interface AlertCase {
  readonly series: readonly InputSeries[]
  /** Such as `10m`. */
  readonly at: string
  /** Labels of the alert that fires, beside `severity`. */
  readonly labels?: Readonly<Record<string, string>>
}

export interface Alert {
  readonly name: string
  /** `page` wakes a person: money or clients are at stake now. `ticket` waits for the working day. */
  readonly severity: 'page' | 'ticket'
  readonly expr: string
  /** How long the expression must hold before the alert fires; absent: it fires at once. */
  readonly for?: string
  /** One sentence: what is wrong. */
  readonly summary: string
  readonly fires: AlertCase
  /** What looks alike and is in order. */
  readonly quiet: AlertCase
}

export interface AlertGroup {
  readonly name: string
  readonly alerts: readonly Alert[]
}

/** Labels of every series that the tests give; a real scrape has others. */
export const TEST_TARGET = { job: 'svc', instance: 'gateway:9787' } as const
