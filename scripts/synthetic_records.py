"""Writes the synthetic patient records of the governance corpus: `python -m scripts.synthetic_records [FILE]`.

    profile (by hand, so that it makes clinical sense) + seeded dates, numbers, choices → one chunk record a line

Nobody in these records exists. NHS numbers are from 999 000 0000 to 999 999 9999, kept for tests and never issued.
The same SEED gives the same bytes.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from random import Random

__all__ = ["PROFILES", "Profile", "main", "nhs_number", "record_of", "records", "write"]

SEED = 20261130
TARGET = Path(__file__).resolve().parent.parent / "data" / "corpus" / "governance" / "synthetic-patients.jsonl"

ORGANIZATION = "Galen (synthetic data)"
LICENCE = "Own work, Apache-2.0; invented test data, no real person"
WRITTEN_ON = "2026-11-30"

FIRST_EVENT = date(2026, 1, 5)
EVENT_DAYS = 290  # the last event lies before WRITTEN_ON
SURGERIES = ("Test Surgery North", "Test Surgery South", "Test Surgery East", "Test Surgery West")
PRACTITIONERS = ("Dr Test Amber", "Dr Test Basil", "Dr Test Clover", "Nurse Test Dill", "Dr Test Elder")
RESEARCH_CONSENT = (
    "has given explicit consent to research with this synthetic record",
    "has refused consent to research beyond individual care",
    "has not been asked for consent to research",
)

# name in a sentence → ICD-10 code
CONDITIONS = {
    "type 2 diabetes": "E11.9",
    "type 1 diabetes": "E10.9",
    "hypertension (high blood pressure)": "I10",
    "high cholesterol": "E78.0",
    "atrial fibrillation": "I48.9",
    "heart failure": "I50.9",
    "coronary heart disease": "I25.1",
    "a past ischaemic stroke": "I69.3",
    "asthma": "J45.9",
    "chronic obstructive pulmonary disease (COPD)": "J44.9",
    "hay fever": "J30.1",
    "cystic fibrosis": "E84.9",
    "hypothyroidism": "E03.9",
    "Graves' disease": "E05.0",
    "gastro-oesophageal reflux disease": "K21.9",
    "Crohn's disease": "K50.9",
    "ulcerative colitis": "K51.9",
    "coeliac disease": "K90.0",
    "depression": "F32.9",
    "generalised anxiety disorder": "F41.1",
    "bipolar disorder": "F31.9",
    "schizophrenia": "F20.9",
    "attention deficit hyperactivity disorder (ADHD)": "F90.0",
    "Alzheimer's disease": "G30.9",
    "Parkinson's disease": "G20",
    "epilepsy": "G40.9",
    "migraine": "G43.9",
    "multiple sclerosis": "G35",
    "rheumatoid arthritis": "M06.9",
    "systemic lupus erythematosus": "M32.9",
    "gout": "M10.9",
    "osteoporosis": "M81.9",
    "osteoarthritis of the knee": "M17.9",
    "polymyalgia rheumatica": "M35.3",
    "iron deficiency anaemia": "D50.9",
    "pernicious anaemia": "D51.0",
    "sickle cell disease": "D57.1",
    "chronic kidney disease stage 3": "N18.3",
    "recurrent urinary tract infection": "N39.0",
    "benign prostatic hyperplasia": "N40",
    "breast cancer, treated": "C50.9",
    "acne": "L70.0",
    "atopic eczema": "L20.9",
    "obesity": "E66.9",
    "glaucoma": "H40.1",
    "gestational diabetes": "O24.4",
    "nicotine dependence": "F17.2",
}

# name → (ATC code, how it is taken)
MEDICINES = {
    "metformin": ("A10BA02", "500 mg tablets twice a day"),
    "gliclazide": ("A10BB09", "80 mg tablets once a day"),
    "insulin glargine": ("A10AE04", "by injection once a day"),
    "insulin aspart": ("A10AB05", "by injection with meals"),
    "ramipril": ("C09AA05", "5 mg capsules once a day"),
    "losartan": ("C09CA01", "50 mg tablets once a day"),
    "amlodipine": ("C08CA01", "5 mg tablets once a day"),
    "bisoprolol": ("C07AB07", "2.5 mg tablets once a day"),
    "atorvastatin": ("C10AA05", "20 mg tablets once a day"),
    "low-dose aspirin": ("B01AC06", "75 mg tablets once a day"),
    "clopidogrel": ("B01AC04", "75 mg tablets once a day"),
    "apixaban": ("B01AF02", "5 mg tablets twice a day"),
    "warfarin": ("B01AA03", "tablets once a day, dose by INR"),
    "furosemide": ("C03CA01", "40 mg tablets once a day"),
    "salbutamol inhaler": ("R03AC02", "100 micrograms when needed"),
    "beclometasone inhaler": ("R03BA01", "100 micrograms twice a day"),
    "tiotropium inhaler": ("R03BB04", "once a day"),
    "cetirizine": ("R06AE07", "10 mg tablets once a day when needed"),
    "adrenaline auto-injector": ("C01CA24", "for emergencies only"),
    "pancreatic enzymes": ("A09AA02", "capsules with meals"),
    "levothyroxine": ("H03AA01", "75 micrograms tablets once a day"),
    "carbimazole": ("H03BB01", "5 mg tablets once a day"),
    "omeprazole": ("A02BC01", "20 mg capsules once a day"),
    "lansoprazole": ("A02BC03", "15 mg capsules once a day"),
    "azathioprine": ("L04AX01", "50 mg tablets once a day"),
    "mesalazine": ("A07EC02", "800 mg tablets twice a day"),
    "sertraline": ("N06AB06", "50 mg tablets once a day"),
    "mirtazapine": ("N06AX11", "15 mg tablets at night"),
    "lithium carbonate": ("N05AN01", "400 mg tablets at night"),
    "olanzapine": ("N05AH03", "10 mg tablets at night"),
    "methylphenidate": ("N06BA04", "18 mg modified-release tablets in the morning"),
    "donepezil": ("N06DA02", "5 mg tablets at night"),
    "levodopa with carbidopa": ("N04BA02", "100 mg/25 mg tablets three times a day"),
    "levetiracetam": ("N03AX14", "500 mg tablets twice a day"),
    "lamotrigine": ("N03AX09", "100 mg tablets twice a day"),
    "sumatriptan": ("N02CC01", "50 mg tablets when needed"),
    "propranolol": ("C07AA05", "40 mg tablets twice a day"),
    "baclofen": ("M03BX01", "10 mg tablets three times a day"),
    "methotrexate": ("L04AX03", "10 mg once a week"),
    "folic acid": ("B03BB01", "5 mg tablets once a week"),
    "hydroxychloroquine": ("P01BA02", "200 mg tablets once a day"),
    "allopurinol": ("M04AA01", "100 mg tablets once a day"),
    "alendronic acid": ("M05BA04", "70 mg tablets once a week"),
    "colecalciferol": ("A11CC05", "800 units once a day"),
    "paracetamol": ("N02BE01", "500 mg tablets when needed"),
    "prednisolone": ("H02AB06", "5 mg tablets once a day"),
    "ferrous sulfate": ("B03AA07", "200 mg tablets once a day"),
    "hydroxocobalamin": ("B03BA03", "1 mg by injection every three months"),
    "hydroxycarbamide": ("L01XX05", "500 mg capsules once a day"),
    "phenoxymethylpenicillin": ("J01CE02", "250 mg tablets twice a day"),
    "nitrofurantoin": ("J01XE01", "50 mg capsules at night"),
    "tamsulosin": ("G04CA02", "400 micrograms capsules once a day"),
    "letrozole": ("L02BG04", "2.5 mg tablets once a day"),
    "doxycycline": ("J01AA02", "100 mg capsules once a day"),
    "emollient cream": ("D02AX", "on the skin several times a day"),
    "latanoprost eye drops": ("S01EE01", "one drop at night"),
    "nicotine patch": ("N07BA01", "14 mg, one a day"),
}


@dataclass(frozen=True, kw_only=True)
class Profile:
    """The clinical part of a record. `conditions` hold (name, year of diagnosis), `allergies` (substance, reaction,
    severity), `observations` (name, value with unit), `contact` (kind, reason); `history` is a procedure or vaccine.
    """

    name: str
    sex: str
    born: int
    conditions: tuple[tuple[str, int], ...]
    medicines: tuple[str, ...] = ()
    allergies: tuple[tuple[str, str, str], ...] = ()
    observations: tuple[tuple[str, str], ...]
    contact: tuple[str, str]
    history: tuple[str, str] | None = None  # (FHIR resource type, what)
    opted_out: bool = False
    type_1: bool = False


def _profile(
    name: str,
    sex: str,
    born: int,
    conditions: Sequence[tuple[str, int]],
    medicines: str,
    allergies: Sequence[tuple[str, str, str]],
    observations: Sequence[tuple[str, str]],
    contact: tuple[str, str],
    history: tuple[str, str] | None = None,
    out: str = "",
) -> Profile:
    """One row of the table below; `medicines` are parted by "; ", `out` is "", "national", "type 1" or "both"."""
    return Profile(
        name=name,
        sex=sex,
        born=born,
        conditions=tuple(conditions),
        medicines=tuple(medicines.split("; ")) if medicines else (),
        allergies=tuple(allergies),
        observations=tuple(observations),
        contact=contact,
        history=history,
        opted_out=out in {"national", "both"},
        type_1=out in {"type 1", "both"},
    )


_BP = "blood pressure"
_HBP = "hypertension (high blood pressure)"
_COPD = "chronic obstructive pulmonary disease (COPD)"
_GORD = "gastro-oesophageal reflux disease"
_ADHD = "attention deficit hyperactivity disorder (ADHD)"
_GP = "a GP consultation"
_CLINIC = "an outpatient visit"
_STAY = "a hospital stay"
_AE = "an emergency department visit"

# fmt: off
PROFILES: tuple[Profile, ...] = (
    _profile("Aspen", "female", 1958, [("type 2 diabetes", 2012), (_HBP, 2015)], "metformin; ramipril; atorvastatin",
             [("peanut", "swelling of the lips", "moderate")],
             [("HbA1c", "58 mmol/mol"), (_BP, "142/86 mmHg"), ("body mass index", "31.2 kg/m2")],
             (_GP, "the yearly review of diabetes")),
    _profile("Birch", "male", 1991, [("asthma", 2001), ("hay fever", 2004)],
             "salbutamol inhaler; beclometasone inhaler; cetirizine", [("house dust mite", "wheezing", "mild")],
             [("peak expiratory flow", "480 L/min"), ("oxygen saturation", "98 %")],
             (_GP, "an asthma review"), ("Immunization", "influenza vaccine"), "national"),
    _profile("Cedar", "female", 1974, [("recurrent urinary tract infection", 2019)], "nitrofurantoin",
             [("penicillin", "anaphylaxis", "severe")],
             [("eGFR", "88 mL/min/1.73 m2"), ("body temperature", "37.9 degrees Celsius")],
             (_AE, "fever and flank pain")),
    _profile("Cherry", "female", 1986, [("migraine", 2008)], "sumatriptan; propranolol", [],
             [(_BP, "118/74 mmHg"), ("heart rate", "66 beats per minute")],
             (_GP, "frequent migraine attacks"), None, "type 1"),
    _profile("Cypress", "male", 1949, [(_COPD, 2009), ("nicotine dependence", 1980)],
             "tiotropium inhaler; salbutamol inhaler; nicotine patch", [],
             [("oxygen saturation", "92 %"), ("FEV1", "1.6 L")],
             (_STAY, "an exacerbation of COPD"), ("Immunization", "pneumococcal vaccine")),
    _profile("Elm", "male", 1967, [("gout", 2018), (_HBP, 2016)], "allopurinol; losartan",
             [("ibuprofen", "wheezing", "moderate")],
             [("serum urate", "380 micromol/L"), (_BP, "136/84 mmHg")], (_GP, "a swollen big toe")),
    _profile("Fir", "female", 2009, [("type 1 diabetes", 2017)], "insulin glargine; insulin aspart", [],
             [("HbA1c", "64 mmol/mol"), ("body weight", "54 kg")],
             (_CLINIC, "the paediatric diabetes clinic"), ("Immunization", "HPV vaccine")),
    _profile("Hawthorn", "male", 1938, [("Alzheimer's disease", 2021), ("osteoarthritis of the knee", 2010)],
             "donepezil; paracetamol", [("codeine", "confusion", "moderate")],
             [("body weight", "68 kg"), ("MMSE score", "19 of 30")],
             (_CLINIC, "the memory clinic"), None, "both"),
    _profile("Hazel", "female", 1995, [("coeliac disease", 2014), ("iron deficiency anaemia", 2023)],
             "ferrous sulfate", [("latex", "contact rash", "mild")],
             [("haemoglobin", "108 g/L"), ("ferritin", "9 micrograms/L")], (_GP, "tiredness")),
    _profile("Hickory", "male", 1953, [("coronary heart disease", 2014), ("high cholesterol", 2010)],
             "low-dose aspirin; bisoprolol; atorvastatin", [],
             [("LDL cholesterol", "1.7 mmol/L"), (_BP, "128/76 mmHg")],
             (_CLINIC, "the cardiology clinic"), ("Procedure", "coronary stent in 2014")),
    _profile("Holly", "female", 1981, [("hypothyroidism", 2011)], "levothyroxine", [],
             [("TSH", "2.4 mU/L"), ("body mass index", "24.1 kg/m2")], (_GP, "a thyroid check")),
    _profile("Hornbeam", "male", 1978, [("schizophrenia", 2003), ("obesity", 2015)], "olanzapine", [],
             [("body mass index", "34.8 kg/m2"), ("HbA1c", "44 mmol/mol")],
             (_CLINIC, "the community mental health team"), None, "national"),
    _profile("Juniper", "female", 1963, [("rheumatoid arthritis", 2013)], "methotrexate; folic acid",
             [("sulfasalazine", "widespread rash", "moderate")],
             [("C-reactive protein", "12 mg/L"), ("ALT", "28 U/L")],
             (_CLINIC, "the rheumatology clinic"), ("Immunization", "shingles vaccine")),
    _profile("Larch", "male", 1944, [("atrial fibrillation", 2017), ("heart failure", 2020)],
             "apixaban; bisoprolol; furosemide", [],
             [("heart rate", "72 beats per minute"), ("NT-proBNP", "1450 ng/L"), ("body weight", "81 kg")],
             (_STAY, "breathlessness and swollen ankles")),
    _profile("Laurel", "female", 2001, [("acne", 2016), ("generalised anxiety disorder", 2022)],
             "doxycycline; sertraline", [], [("GAD-7 score", "11 of 21"), (_BP, "112/70 mmHg")],
             (_GP, "anxiety before exams")),
    _profile("Linden", "male", 1972, [("Crohn's disease", 1998)], "azathioprine",
             [("infliximab", "infusion reaction", "severe")],
             [("faecal calprotectin", "210 micrograms/g"), ("haemoglobin", "128 g/L")],
             (_CLINIC, "the gastroenterology clinic"), ("Procedure", "ileocaecal resection in 2006"), "type 1"),
    _profile("Magnolia", "female", 1940, [("osteoporosis", 2012), ("polymyalgia rheumatica", 2024)],
             "alendronic acid; colecalciferol; prednisolone", [],
             [("bone density T-score", "-2.9"), ("C-reactive protein", "6 mg/L")],
             (_GP, "a steroid review"), ("Procedure", "hip fracture repair in 2019")),
    _profile("Maple", "male", 2016, [("asthma", 2020), ("atopic eczema", 2017)],
             "salbutamol inhaler; emollient cream; adrenaline auto-injector",
             [("cow's milk", "hives and vomiting", "moderate"), ("cashew nut", "anaphylaxis", "severe")],
             [("body weight", "31 kg"), ("oxygen saturation", "97 %")],
             (_AE, "an allergic reaction at school"), ("Immunization", "MMR vaccine, second dose")),
    _profile("Mulberry", "female", 1989, [("epilepsy", 2002)], "levetiracetam",
             [("carbamazepine", "severe skin reaction", "severe")],
             [("body weight", "63 kg"), ("sodium", "140 mmol/L")], (_CLINIC, "the epilepsy clinic"), None, "national"),
    _profile("Oak", "male", 1947, [("Parkinson's disease", 2018), ("benign prostatic hyperplasia", 2014)],
             "levodopa with carbidopa; tamsulosin", [],
             [("standing blood pressure", "104/62 mmHg"), ("prostate-specific antigen", "3.1 micrograms/L")],
             (_CLINIC, "the movement disorder clinic")),
    _profile("Olive", "female", 1993, [("gestational diabetes", 2026)], "metformin", [],
             [("fasting glucose", "5.6 mmol/L"), (_BP, "122/78 mmHg")],
             (_CLINIC, "the antenatal clinic"), ("Immunization", "pertussis vaccine in pregnancy")),
    _profile("Pear", "male", 1961, [("a past ischaemic stroke", 2022), (_HBP, 2010)],
             "clopidogrel; amlodipine; atorvastatin", [("penicillin", "itchy rash", "mild")],
             [(_BP, "134/80 mmHg"), ("LDL cholesterol", "1.9 mmol/L")], (_GP, "a stroke follow-up")),
    _profile("Pine", "female", 1970, [("multiple sclerosis", 2005)], "baclofen; colecalciferol", [],
             [("vitamin D", "62 nmol/L"), ("body mass index", "22.7 kg/m2")],
             (_CLINIC, "the neurology clinic"), None, "both"),
    _profile("Plane", "male", 1984, [("bipolar disorder", 2007)], "lithium carbonate", [],
             [("lithium level", "0.7 mmol/L"), ("TSH", "3.6 mU/L"), ("eGFR", "82 mL/min/1.73 m2")],
             (_GP, "a lithium check")),
    _profile("Plum", "female", 1955, [("breast cancer, treated", 2021)], "letrozole",
             [("iodinated contrast", "hives", "moderate")],
             [("bone density T-score", "-1.4"), ("body weight", "70 kg")],
             (_CLINIC, "the breast clinic"), ("Procedure", "lumpectomy in 2021")),
    _profile("Poplar", "male", 2012, [(_ADHD, 2020)], "methylphenidate", [],
             [("heart rate", "88 beats per minute"), ("body weight", "44 kg")],
             (_CLINIC, "the child and adolescent mental health service")),
    _profile("Quince", "female", 1946, [("chronic kidney disease stage 3", 2019), (_HBP, 2004), ("gout", 2021)],
             "amlodipine; losartan; allopurinol", [("trimethoprim", "high potassium", "moderate")],
             [("eGFR", "44 mL/min/1.73 m2"), ("potassium", "4.9 mmol/L"), (_BP, "138/72 mmHg")],
             (_GP, "a kidney function check")),
    _profile("Redwood", "male", 1999, [("cystic fibrosis", 1999)], "pancreatic enzymes; salbutamol inhaler",
             [("ceftazidime", "rash", "moderate")],
             [("FEV1", "2.4 L"), ("body mass index", "20.3 kg/m2")],
             (_STAY, "a chest infection"), ("Immunization", "COVID-19 vaccine")),
    _profile("Rowan", "female", 1987, [("Graves' disease", 2025)], "carbimazole; propranolol", [],
             [("free T4", "24 pmol/L"), ("heart rate", "92 beats per minute")],
             (_CLINIC, "the endocrine clinic"), None, "national"),
    _profile("Sequoia", "male", 1951, [("atrial fibrillation", 2015)], "warfarin; bisoprolol",
             [("strawberry", "itching in the mouth", "mild")],
             [("INR", "2.6"), ("heart rate", "78 beats per minute")],
             (_CLINIC, "the anticoagulation clinic"), ("Procedure", "mechanical mitral valve replacement in 2015")),
    _profile("Spruce", "female", 1979, [("systemic lupus erythematosus", 2010)], "hydroxychloroquine",
             [("co-trimoxazole", "fever and rash", "severe")],
             [("urine protein to creatinine ratio", "14 mg/mmol"), ("platelets", "190 x10^9/L")],
             (_CLINIC, "the lupus clinic"), ("Immunization", "influenza vaccine")),
    _profile("Sycamore", "male", 1965, [(_GORD, 2009), ("obesity", 2012)], "omeprazole", [],
             [("body mass index", "33.0 kg/m2"), ("HbA1c", "41 mmol/mol")],
             (_GP, "heartburn"), ("Procedure", "gastroscopy in 2024")),
    _profile("Tamarisk", "female", 1998, [("sickle cell disease", 1998)],
             "hydroxycarbamide; phenoxymethylpenicillin; folic acid", [("morphine", "itching", "mild")],
             [("haemoglobin", "84 g/L"), ("oxygen saturation", "95 %")],
             (_STAY, "a painful crisis"), ("Immunization", "meningococcal ACWY vaccine")),
    _profile("Teak", "male", 1969, [("ulcerative colitis", 2001)], "mesalazine", [],
             [("faecal calprotectin", "65 micrograms/g"), ("haemoglobin", "146 g/L")],
             (_CLINIC, "a surveillance appointment"), ("Procedure", "colonoscopy in 2025")),
    _profile("Viburnum", "female", 1936, [("glaucoma", 2008), ("pernicious anaemia", 2011)],
             "latanoprost eye drops; hydroxocobalamin", [("penicillin", "swelling of the face", "moderate")],
             [("intraocular pressure", "17 mmHg"), ("vitamin B12", "410 ng/L")], (_CLINIC, "the eye clinic"), None,
             "type 1"),
    _profile("Walnut", "male", 1982, [("depression", 2019)], "mirtazapine",
             [("citalopram", "palpitations", "mild")],
             [("PHQ-9 score", "14 of 27"), ("body weight", "86 kg")], (_GP, "low mood and poor sleep")),
    _profile("Wattle", "female", 1990, [("epilepsy", 2012), ("depression", 2024)], "lamotrigine; sertraline", [],
             [("PHQ-9 score", "8 of 27"), (_BP, "116/72 mmHg")], (_CLINIC, "the first seizure follow-up")),
    _profile("Wellingtonia", "male", 1957, [("type 2 diabetes", 2006), ("chronic kidney disease stage 3", 2022)],
             "gliclazide; ramipril; atorvastatin", [("metformin", "persistent diarrhoea (intolerance)", "moderate")],
             [("HbA1c", "71 mmol/mol"), ("eGFR", "51 mL/min/1.73 m2"), (_BP, "146/88 mmHg")],
             (_GP, "raised blood glucose"), None, "national"),
    _profile("Willow", "female", 2004, [("hay fever", 2012)], "cetirizine",
             [("bee venom", "anaphylaxis", "severe"), ("penicillin", "hives", "moderate")],
             [("peak expiratory flow", "420 L/min"), ("total IgE", "310 kU/L")],
             (_AE, "a bee sting"), ("Immunization", "tetanus booster")),
    _profile("Yew", "male", 1976, [], "", [],
             [(_BP, "124/78 mmHg"), ("body mass index", "25.4 kg/m2"), ("total cholesterol", "4.8 mmol/L")],
             (_GP, "an NHS Health Check"), ("Immunization", "hepatitis A vaccine")),
)
# fmt: on


def nhs_number(rng: Random) -> str:
    """A test NHS number (999 …) with a right check digit (modulus 11), spaced 3 3 4."""
    while True:
        digits = [9, 9, 9, *(rng.randrange(10) for _ in range(6))]
        check = 11 - sum(digit * (10 - place) for place, digit in enumerate(digits)) % 11
        if check != 10:
            text = "".join(map(str, digits)) + str(check % 11)
            return f"{text[:3]} {text[3:6]} {text[6:]}"


def record_of(number: int, profile: Profile) -> dict[str, object]:
    """The chunk record of one profile; `number` counts from 1 and seeds what the profile leaves open."""
    rng = Random(SEED + number)
    syn, person = f"SYN-{number:03}", f"Test Patient {profile.name}"
    resources = [("Patient", "patient")]
    paragraphs = [
        f"{syn} is a synthetic patient record. This record is invented test data and describes no real person. "
        f"{person} ({syn}) is a synthetic {profile.sex} patient born in {profile.born}. The NHS number of {syn} is "
        f"{nhs_number(rng)}, a test number from the range 999 000 0000 to 999 999 9999, which is kept for tests and "
        "never issued to a patient.",
        _conditions(syn, person, profile, resources),
        _allergies(syn, person, profile, resources, rng),
        _medicines(syn, person, profile, resources),
        _observations(syn, profile, resources, rng),
        _contact(syn, person, profile, resources, rng),
        _choices(syn, person, profile, resources, rng),
    ]
    listed = ", ".join(f"{kind} {syn.lower()}-{suffix}" for kind, suffix in resources)
    paragraphs.append(
        f"FHIR resources of the synthetic record {syn}: one Bundle holds {len(resources)} FHIR R4 resources: {listed}."
    )
    return {
        "doc_title": f"Synthetic patient record {syn} (not a real person)",
        "organization": ORGANIZATION,
        "url": None,
        "version_date": WRITTEN_ON,
        "lang": "en",
        "topic": "fhir",
        "text": "\n\n".join(paragraphs),
        "doc_id": f"synthetic-patient-{syn.lower()}",
        "licence": LICENCE,
        "jurisdiction": "UK",
        "doc_type": "record",
        "hierarchy_rank": 5,
    }


def records() -> list[dict[str, object]]:
    return [record_of(number, profile) for number, profile in enumerate(PROFILES, start=1)]


def write(path: Path) -> int:
    """Writes all records to `path`, one a line, and tells how many."""
    lines = [json.dumps(record, ensure_ascii=False) for record in records()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return len(lines)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Write the synthetic patient records of the governance corpus.")
    parser.add_argument("file", nargs="?", type=Path, default=TARGET, help="where to write (default: the corpus)")
    path: Path = parser.parse_args(argv).file
    print(f"{write(path)} synthetic records: {path}")
    return 0


# --- paragraphs ---------------------------------------------------------------------------------------------

Resources = list[tuple[str, str]]


def _conditions(syn: str, person: str, profile: Profile, resources: Resources) -> str:
    if not profile.conditions:
        return f"Conditions of {syn}: {person} has no recorded long-term condition in this synthetic record."
    told = []
    for place, (name, year) in enumerate(profile.conditions, start=1):
        told.append(f"{name} (ICD-10 {CONDITIONS[name]}, since {year})")
        resources.append(("Condition", f"condition-{place}"))
    return f"Conditions of {syn}: {person} has {_and(told)}."


def _allergies(syn: str, person: str, profile: Profile, resources: Resources, rng: Random) -> str:
    if not profile.allergies:
        return f"Allergies of {syn}: {person} has no known allergies in this synthetic record."
    told = []
    for place, (substance, reaction, severity) in enumerate(profile.allergies, start=1):
        year = rng.randrange(max(profile.born + 1, 2005), 2026)
        kind = "intolerance" if "intolerance" in reaction else "allergy"
        article = "an" if substance[0] in "aeiou" else "a"
        shown = reaction.removesuffix(" (intolerance)")
        told.append(f"{article} {substance} {kind} (reaction: {shown}; {severity}; confirmed, recorded in {year})")
        resources.append(("AllergyIntolerance", f"allergy-{place}"))
    return f"Allergies of {syn}: {person} has {_and(told)}."


def _medicines(syn: str, person: str, profile: Profile, resources: Resources) -> str:
    if not profile.medicines:
        return f"Medication of {syn}: {person} takes no regular medication in this synthetic record."
    told = []
    for place, name in enumerate(profile.medicines, start=1):
        atc, use = MEDICINES[name]
        told.append(f"{name} {use} (ATC {atc})")
        resources.append(("MedicationRequest", f"medication-{place}"))
    return f"Medication of {syn}: {person} takes {_and(told)}."


def _observations(syn: str, profile: Profile, resources: Resources, rng: Random) -> str:
    told = []
    for place, (name, value) in enumerate(profile.observations, start=1):
        told.append(f"{name} {value} on {_day(rng)}")
        resources.append(("Observation", f"observation-{place}"))
    return f"Observations of {syn}: {_and(told)}."


def _contact(syn: str, person: str, profile: Profile, resources: Resources, rng: Random) -> str:
    kind, reason = profile.contact
    resources.extend([("Encounter", "encounter-1"), ("Practitioner", "practitioner"), ("Organization", "organization")])
    text = (
        f"Latest encounter of {syn}: {person} had {kind} on {_day(rng)} for {reason}. The invented practitioner was "
        f"{_one_of(PRACTITIONERS, rng)}, and the registered invented practice is {_one_of(SURGERIES, rng)}."
    )
    if profile.history is not None:
        resource, what = profile.history
        resources.append((resource, f"{resource.lower()}-1"))
        if resource == "Immunization":
            text += f" {person} received this vaccination on {_day(rng)}: {what}."
        else:
            text += f" {person} had this procedure: {what}."
    return text


def _choices(syn: str, person: str, profile: Profile, resources: Resources, rng: Random) -> str:
    resources.append(("Consent", "consent-1"))
    national = "has set a national data opt-out" if profile.opted_out else "has not set a national data opt-out"
    type_1 = "a type 1 opt-out is registered" if profile.type_1 else "no type 1 opt-out is registered"
    return (
        f"Consent and opt-out of {syn}: {person} {_one_of(RESEARCH_CONSENT, rng)}. {person} {national}; {type_1} with "
        "the GP practice."
    )


def _and(parts: Iterable[str]) -> str:
    *first, last = parts
    return f"{'; '.join(first)}; and {last}" if first else last


def _day(rng: Random) -> str:
    return (FIRST_EVENT + timedelta(days=rng.randrange(EVENT_DAYS))).isoformat()


def _one_of(choices: Sequence[str], rng: Random) -> str:
    return choices[rng.randrange(len(choices))]


if __name__ == "__main__":
    raise SystemExit(main())
