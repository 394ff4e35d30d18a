/** What an MMSI stands for: ITU-R M.585. */

/**
 * The maritime identification digits that the ITU has allocated: what a ship's MMSI begins with. Radio markers of fishing
 * gear use digits that no country has, such as 585.
 */
const allocated = `
201-216 218-220 224-259 261-279 301 303-312 314 316 319 321 323 325 327 329-332 334 336 338-339 341 343
345 347-348 350-359 361-362 364 366-379 401 403 405 408 410 412-414 416-417 419 422-423 425 428 431-432
434 436-438 440-441 443 445 447 450-451 453 455 457 459 461 463 466 468 470-473 475 477-478 501 503 506
508 510-512 514-516 518 520 523 525 529 531 533 536 538 540 542 544 546 548 550 553 555 557 559 561
563-567 570 572 574 576-578 601 603 605 607-613 615-622 624-627 629-638 642 644-645 647 649-650 654-657
659-672 674-679 701 710 720 725 730 735 740 745 750 755 760 765 770 775`

const digits: ReadonlySet<number> = new Set(
  allocated
    .trim()
    .split(/\s+/)
    .flatMap((range) => {
      const [first = 0, last = first] = range.split("-").map(Number)
      return Array.from({ length: last - first + 1 }, (_, index) => first + index)
    })
)

/** Whether the MMSI is a ship's: nine digits that begin with those of a country. Others are coast stations, aircraft, gear. */
export const isShip = (mmsi: number): boolean =>
  mmsi >= 200_000_000 && mmsi <= 999_999_999 && digits.has(Math.floor(mmsi / 1_000_000))

/** Whether a name is that of a gear marker, which tells its battery there: `BUOY TJ3       [41%]`. */
export const isMarker = (name: string | null | undefined): boolean =>
  /\[\s*\d{1,3}\s*%\]\s*$/.test(name ?? "")
