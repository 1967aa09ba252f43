"""Documents that answer none of our questions, published beside the bundle so that a gate on it means something.

Made here, always the same: sixty-four illnesses that the bundle does not have, five short documents each, in the words
in which health pages speak (symptoms, causes, treatment, when to see a doctor). They are for evaluation only: nothing
serves them, and nobody has checked them as advice.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from app.components import Components
from rag.ingest.records import Defaults
from rag.ingest.request import IngestRequest
from rag.ingest.run import ingest

__all__ = ["SOURCE", "distractors", "publish"]

SOURCE = "distractors"

_ILLNESSES = (
    ("Gout", "the joints", "a hot, swollen big toe", "skin that peels later"),
    ("Psoriasis", "the skin", "raised scaly patches", "itching on elbows and scalp"),
    ("Eczema", "the skin", "dry, cracked patches", "itching that is worse at night"),
    ("Rosacea", "the face", "flushing of the cheeks", "small bumps on the nose"),
    ("Shingles", "a nerve and the skin over it", "a band of blisters", "burning on one side of the body"),
    ("Ringworm", "the skin", "a ring-shaped rash", "hair that breaks off"),
    ("Scabies", "the skin", "itching between the fingers", "thin wavy lines"),
    ("Head lice", "the scalp", "itching behind the ears", "small white eggs on hairs"),
    ("Cold sores", "the lips", "tingling before a blister", "crusts at the corner of the mouth"),
    ("Mouth ulcers", "the mouth", "round sore spots", "pain when eating salty things"),
    ("Oral thrush", "the mouth", "white patches on the tongue", "loss of taste"),
    ("Gum disease", "the gums", "gums that bleed when brushed", "loose teeth"),
    ("Tinnitus", "hearing", "ringing that others cannot hear", "trouble falling asleep"),
    ("Glue ear", "the middle ear", "muffled hearing", "a popping sound"),
    ("Ménière's disease", "the inner ear", "spinning spells", "a feeling of fullness in one ear"),
    ("Sinusitis", "the sinuses", "a blocked nose", "pressure around the eyes"),
    ("Hay fever", "the nose and eyes", "sneezing in spring", "watering eyes"),
    ("Tonsillitis", "the throat", "pain when swallowing", "white spots at the back of the throat"),
    ("Laryngitis", "the voice box", "a hoarse voice", "a need to clear the throat"),
    ("Glandular fever", "the lymph glands", "long tiredness", "swollen neck glands"),
    ("Conjunctivitis", "the eye", "a red, sticky eye", "a gritty feeling"),
    ("Glaucoma", "the optic nerve", "slow loss of side vision", "halos around lamps"),
    ("Cataract", "the lens of the eye", "cloudy sight", "glare from headlights"),
    ("Stye", "the eyelid", "a painful lump", "a swollen lid"),
    ("Macular degeneration", "the retina", "a blurred centre of sight", "straight lines that look wavy"),
    ("Coeliac disease", "the small bowel", "bloating after bread", "loss of weight"),
    ("Crohn's disease", "the bowel", "cramps after meals", "long-lasting diarrhoea"),
    ("Diverticulitis", "the large bowel", "pain low on the left", "a change of bowel habit"),
    ("Gallstones", "the gallbladder", "pain under the right ribs", "nausea after fatty food"),
    ("Haemorrhoids", "the back passage", "bright blood on the paper", "a soft lump"),
    ("Hernia", "the wall of the belly", "a bulge that grows on standing", "dragging pain"),
    ("Pancreatitis", "the pancreas", "pain that goes through to the back", "vomiting"),
    ("Hepatitis B", "the liver", "yellow skin", "dark urine"),
    ("Kidney stones", "the kidneys", "waves of pain in the side", "pink urine"),
    ("Bedwetting", "the bladder of a sleeping child", "wet sheets", "deep sleep"),
    ("Enlarged prostate", "the prostate", "a weak stream", "getting up at night"),
    ("Endometriosis", "tissue like the lining of the womb", "painful periods", "pain during sex"),
    ("Fibroids", "the womb", "heavy periods", "a feeling of fullness low in the belly"),
    ("Polycystic ovary syndrome", "the ovaries", "irregular periods", "hair on the chin"),
    ("Menopause", "hormones in mid-life", "hot flushes", "broken sleep"),
    ("Mastitis", "the breast", "a hot wedge-shaped area", "aching like flu"),
    ("Underactive thyroid", "the thyroid gland", "feeling cold", "slow thoughts"),
    ("Overactive thyroid", "the thyroid gland", "a fast pulse", "loss of weight"),
    ("Addison's disease", "the adrenal glands", "darkened skin", "craving for salt"),
    ("Osteoporosis", "the bones", "a bone that breaks in a small fall", "loss of height"),
    ("Osteoarthritis", "the joints", "stiffness after rest", "a knee that creaks"),
    ("Rheumatoid arthritis", "the joints", "morning stiffness for hours", "swollen knuckles"),
    ("Carpal tunnel syndrome", "the wrist", "tingling fingers at night", "a weak grip"),
    ("Tennis elbow", "the elbow", "pain on twisting a lid", "a tender outer elbow"),
    ("Frozen shoulder", "the shoulder", "pain at night", "an arm that will not lift"),
    ("Plantar fasciitis", "the heel", "pain with the first steps", "a tight sole"),
    ("Bunions", "the big toe", "a bony bump", "shoes that rub"),
    ("Sciatica", "a nerve of the leg", "pain from the buttock to the foot", "a numb calf"),
    ("Scoliosis", "the spine", "uneven shoulders", "a rib that stands out"),
    ("Fibromyalgia", "muscles all over", "widespread aching", "unrefreshing sleep"),
    ("Epilepsy", "the brain", "seizures that come again", "staring spells"),
    ("Parkinson's disease", "movement", "a tremor at rest", "small handwriting"),
    ("Multiple sclerosis", "nerves and their sheath", "blurred sight in one eye", "numb legs"),
    ("Bell's palsy", "a nerve of the face", "one side of the face that droops", "a dry eye"),
    ("Narcolepsy", "sleep", "sudden sleep by day", "weak knees on laughing"),
    ("Restless legs", "the legs", "an urge to move them", "creeping feelings in the evening"),
    ("Varicose veins", "the veins of the legs", "twisted veins", "heavy legs in the evening"),
    ("Raynaud's", "fingers and toes", "white fingers in the cold", "tingling on warming up"),
    ("Sickle cell disease", "red blood cells", "attacks of bone pain", "tiredness"),
)

_PARTS = {
    "What it is": "{name} concerns {area}. It is common enough that most doctors have met it, and many people live "
    "with it for years. This page tells what {name} is and whom it affects.",
    "Symptoms": "The usual symptoms of {name} are {one} and {two}. They come and go, differ from person to person, and "
    "can be mild at first.",
    "Causes": "Why {name} begins is not always known. It can run in families, and what happens in {area} plays a part. "
    "Some people notice triggers before {one}.",
    "Treatment": "Treatment of {name} aims at fewer symptoms such as {two}. What helps depends on how much {area} is "
    "affected; medicines, exercises or an operation are talked over with a doctor.",
    "When to see a doctor": "See a doctor about {name} if {one} does not settle, if {two} becomes worse, or if daily "
    "life suffers. Tell them since when, and what you have tried.",
}


def distractors() -> Iterator[dict[str, str]]:
    """320 records of ingest's own form, each a document of one part."""
    for name, area, one, two in _ILLNESSES:
        for number, (heading, text) in enumerate(_PARTS.items()):
            yield {
                "doc_id": f"distractor-{name.casefold().replace(' ', '-')}-{number}",
                "doc_title": f"{name}: {heading.casefold()}",
                "heading": heading,
                "text": text.format(name=name, area=area, one=one, two=two),
            }


def publish(components: Components) -> int:
    """Publishes them beside the bundle; how many. For a database of an evaluation's own."""
    records = list(distractors())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "distractors.jsonl"
        path.write_text("\n".join(json.dumps(record) for record in records), encoding="utf-8")
        request = IngestRequest(
            path=path, collection="health", source=SOURCE, defaults=Defaults(organization="Galen's evaluations")
        )
        ingest(components.store, components.embedder, request)
    return len(records)
