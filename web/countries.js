// The country choice: for emergency numbers only, kept in this browser's storage, sent as `countryCode`.

const KEY = "galen.country";

// ISO 3166-1 alpha-2
const CODES =
  "AD AE AF AG AI AL AM AO AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BW BY BZ CA CC CD " +
  "CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD " +
  "GE GF GG GH GI GL GM GN GP GQ GR GT GU GW GY HK HN HR HT HU ID IE IL IM IN IQ IR IS IT JE JM JO JP KE KG KH KI KM " +
  "KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX " +
  "MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC " +
  "SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG US UY UZ " +
  "VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW";

/** Fills the select and keeps its value across visits. */
export function setUpCountry(select) {
  const names = new Intl.DisplayNames(["en"], { type: "region" });
  const options = CODES.split(" ").map((code) => [names.of(code), code]);
  options.sort(([a], [b]) => a.localeCompare(b, "en"));
  for (const [name, code] of options) select.append(new Option(name, code));
  select.value = stored();
  if (select.selectedIndex < 0) select.value = "";
  select.addEventListener("change", () => store(select.value));
}

// Storage can be forbidden (a private window, a page inside a frame): then the choice lasts as long as the page.

function stored() {
  try {
    return localStorage.getItem(KEY) ?? "";
  } catch {
    return "";
  }
}

function store(value) {
  try {
    if (value) localStorage.setItem(KEY, value);
    else localStorage.removeItem(KEY);
  } catch {
    // as above
  }
}
