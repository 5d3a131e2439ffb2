"""Word and code lists that the values of the corpus are drawn from. Names of individuals are combined at random."""

from __future__ import annotations

_GIVEN = {
    "en": "Alma Brent Carla Dwayne Edith Floyd Greta Hollis Ingrid Jarvis Kendra Lionel Maeve Nolan Opal Percy",
    "de": "Anke Bernd Carola Detlef Elke Frieder Gudrun Holger Ilse Jörg Karin Lutz Maike Norbert Ottilie Uwe",
    "fr": "Agnès Bruno Chloé Damien Élodie Fabrice Gisèle Hervé Inès Jérôme Karine Loïc Maëlle Noémie Odile",
    "es": "Adela Bruno Celia Damián Elvira Fermín Gloria Hugo Inés Joaquín Lidia Matías Nuria Óscar Pilar",
    "it": "Alba Bruno Carlotta Dario Elisa Fausto Giada Ivo Lucia Marco Nives Ornella Pietro Rocco Silvia",
    "nl": "Anouk Bram Carlijn Daan Esmée Floris Griet Hidde Ilse Joost Kees Lotte Maarten Noor Sanne",
    "pt": "Amélia Bento Célia Dinis Eunice Fábio Graça Hélder Inês Joaquim Lurdes Mateus Natália Otávio Rosa",
    "da": "Anders Birgit Carsten Dorthe Esben Freja Gudmund Helle Jeppe Kirsten Lærke Mogens Nanna Søren Tove Øjvind",
    "sv": "Agneta Björn Cecilia Elsa Folke Gunilla Håkan Ingegerd Kjell Lovisa Märta Nils Oskar Siv Torsten Åsa",
    "pl": "Agnieszka Bogdan Celina Dariusz Elżbieta Grzegorz Halina Jacek Kinga Łukasz Małgorzata Paweł Renata Zofia",
}
_FAMILY = {
    "en": "Ashgrove Birchall Coldwater Dunmore Eastlake Fairbourne Greyson Hartwell Ivers Kestrel Lockridge "
    "Marlowe Northcutt Oakes Pemberly Quill Ransome Stillwell Thackery Underhill Vance Whitlock",
    "de": "Ackermann Birkholz Cramer Dornbusch Eberlein Fuhrmann Grabowski Hölzer Jansen Kleinschmidt Lindner "
    "Möllering Niehaus Oberhauser Pfeiffer Rautenberg Steinbrück Tiedemann Vogelsang Wüst",
    "fr": "Aubertin Beaulieu Charpentier Delorme Écrivain Fontanel Garnier Hébrard Jourdan Lacombe Marchetti "
    "Noiret Poulain Rousselet Savary Thévenot Vasseur",
    "es": "Arriaga Barrientos Cifuentes Domínguez Escobedo Figueroa Guzmán Herrero Ibáñez Lozano Medrano Núñez "
    "Ordóñez Peralta Quintana Robledo Salcedo Tejedor Urrutia",
    "it": "Andreoli Bellucci Cattaneo Donadoni Esposito Ferrante Gualtieri Iannuzzi Lombardo Marchesi Napolitano "
    "Orlandi Pellegrino Quaranta Santoro Tedesco",
    "nl": "Aalbers Boersma Claessen Dijkhuizen Eikelboom Feenstra Groeneveld Hoekstra Kuipers Leeuwenburg Mulder "
    "Noordhoek Oosterhuis Postma Terpstra Veldkamp",
    "pt": "Almeida Barreto Cardoso Damasceno Esteves Fagundes Guimarães Horta Lacerda Magalhães Nogueira Paiva "
    "Queirós Sampaio Teixeira Valadares",
    "da": "Andersen Bjerregaard Christoffersen Dalsgaard Frandsen Gregersen Holmgaard Iversen Kjærsgaard Lauridsen "
    "Mikkelsen Nørgaard Overgaard Skovgaard Thorsen Villadsen Østergaard",
    "sv": "Ahlgren Bergström Cederlund Dahlqvist Ekholm Forsberg Granlund Hedström Isaksson Kjellberg Lindqvist "
    "Månsson Nordin Rosengren Sjöberg Törnblom Wallin Åkesson",
    "pl": "Adamczyk Borkowska Chmielewski Dudek Fijałkowska Głowacki Jabłońska Krawczyk Lisowska Maciejewski Nowacka "
    "Olszewski Pawlak Sikorska Szczepański Wróbel Zalewska",
}
STREETS = {
    "en": ["{} Alder Ln", "{} Quarry Rd Apt 4", "{} N Beacon St", "{} Harbor View Dr", "{} Old Mill Ct", "{} 9th Ave"],
    "de": ["Lindenweg {}", "Am Mühlbach {}", "Goethestraße {}", "Bahnhofstr. {}", "Rosengasse {} a"],
    "fr": ["{} rue des Tilleuls", "{} avenue du Parc", "{} bis, impasse du Moulin", "{} chemin Vert"],
    "es": ["Calle del Olmo, {}", "Avda. de la Paz {}, 2º B", "C/ Mayor {}", "Plaza Nueva, {}"],
    "it": ["Via dei Tigli {}", "Corso Italia, {}", "Viale della Pace {}", "Piazza Nuova {}"],
    "nl": ["Lindelaan {}", "Dorpsstraat {}", "Molenweg {} A", "Kerkplein {}"],
    "pt": ["Rua das Tílias, {}", "Avenida Central, {}", "Travessa do Moinho, {}", "R. da Igreja {}"],
    "da": ["Lindevej {}", "Kirkegade {}, 2. tv.", "Skovbrynet {}", "Søndergade {}"],
    "sv": ["Björkvägen {}", "Storgatan {} A", "Kyrkogatan {}", "Ängsstigen {}"],
    "pl": ["ul. Lipowa {}", "ul. Ogrodowa {} m. 4", "al. Parkowa {}", "os. Słoneczne {}"],
}
_CITIES = {
    "en": "Columbus|Springfield|Dayton|Lima|Mansfield|Akron|Toledo|Marion|Athens|Kent|Elyria|Newark|Troy|Xenia",
    "de": "Köln|Düsseldorf|Bonn|Aachen|Münster|Bielefeld|Siegen|Hagen|Krefeld|Neuss|Soest|Unna|Düren|Minden",
    "fr": "Lyon|Marseille|Toulouse|Nantes|Lille|Rennes|Grenoble|Dijon|Angers|Nîmes|Brest|Le Mans|Tours|Amiens",
    "es": "Madrid|Sevilla|Valencia|Zaragoza|Málaga|Murcia|Bilbao|Córdoba|Gijón|Vigo|Almería|León|Lugo|Cádiz",
    "it": "Torino|Milano|Genova|Bologna|Firenze|Verona|Padova|Trieste|Parma|Modena|Ravenna|Rimini|Como|Pavia",
    "nl": "Utrecht|Rotterdam|Eindhoven|Groningen|Tilburg|Breda|Nijmegen|Arnhem|Zwolle|Leiden|Delft|Gouda|Assen",
    "pt": "Lisboa|Porto|Braga|Coimbra|Aveiro|Setúbal|Évora|Faro|Viseu|Leiria|Guarda|Beja|Bragança|Santarém",
    "da": "Aarhus|Odense|Aalborg|Esbjerg|Randers|Kolding|Horsens|Vejle|Roskilde|Herning|Silkeborg|Næstved|Viborg|Køge",
    "sv": "Göteborg|Malmö|Uppsala|Västerås|Örebro|Linköping|Helsingborg|Jönköping|Norrköping|Lund|Umeå|Gävle|Borås",
    "pl": "Kraków|Łódź|Wrocław|Poznań|Gdańsk|Szczecin|Lublin|Białystok|Katowice|Toruń|Kielce|Rzeszów|Olsztyn|Opole",
}
GIVEN = {language: listed.split() for language, listed in _GIVEN.items()}
FAMILY = {language: listed.split() for language, listed in _FAMILY.items()}
CITIES = {language: towns.split("|") for language, towns in _CITIES.items()}
NOTES = {
    "en": [
        "Pt {name} seen in clinic, doing well, follow up in {days} days.",
        "Discussed results with {name} and family; will call in {days} days.",
        "{name} reports improved pain. Continue current medication for {days} days.",
        "Called by nurse regarding {name}. No acute distress. Labs to be repeated.",
    ],
    "de": [
        "Pat. {name} in gutem Allgemeinzustand, Wiedervorstellung in {days} Tagen.",
        "Gespräch mit {name} und Angehörigen, Befunde erläutert.",
        "{name} berichtet über Besserung der Beschwerden seit {days} Tagen.",
    ],
    "fr": [
        "M./Mme {name} vu(e) en consultation, évolution favorable, contrôle dans {days} jours.",
        "Appel de la famille de {name}, résultats expliqués.",
    ],
    "es": [
        "Paciente {name} valorado en consulta, buena evolución, control en {days} días.",
        "Se informa a {name} y a la familia de los resultados.",
    ],
    "it": ["Paziente {name} in buone condizioni, controllo tra {days} giorni.", "Colloquio con {name} e familiari."],
    "nl": [
        "Patiënt {name} gezien op de poli, gaat goed, controle over {days} dagen.",
        "Gebeld met {name}, uitleg gegeven.",
    ],
    "pt": [
        "Doente {name} observado em consulta, boa evolução, reavaliar em {days} dias.",
        "Falei com {name} e família.",
    ],
    "da": ["Pt. {name} set i ambulatoriet, i bedring, kontrol om {days} dage.", "Samtale med {name} og pårørende."],
    "sv": ["Pat. {name} mår bättre, återbesök om {days} dagar.", "Samtal med {name} och anhöriga om provsvaren."],
    "pl": ["Pacjent(ka) {name} w stanie dobrym, kontrola za {days} dni.", "Rozmowa z {name} i rodziną o wynikach."],
}

ICD10 = (
    "I10|E11.9|I25.10|J18.9|N39.0|I48.91|J44.1|E78.5|F32.9|K21.9|I50.9|M54.5|A41.9|N17.9|I63.9|C50.911|F10.20|"
    "B20|C34.90|G40.909|S72.001A|F20.9|O80|Z51.11|K35.80|C18.9|G20|D57.1|B18.2|E10.65"
)
ICD10_BARE = ICD10.replace(".", "")
ICD10_GM = (
    "I10.00|E11.90|I50.14|J18.9|I48.0|N39.0|J44.19|F32.1|I63.4|S72.01|C50.4|K80.20|M16.1|F10.3|G40.2|A41.9|C34.1|"
    "B24|F20.0|O80|K35.8|C61|M51.2"
)
ICD9 = (
    "401.9|250.00|414.01|486|599.0|427.31|491.21|272.4|311|530.81|428.0|724.2|038.9|584.9|434.91|174.9|042|303.90|"
    "295.30|V58.11|540.9|E885.9"
)
ICD9_BARE = ICD9.replace(".", "")
DIAGNOSES = (
    "Hypertension|Type 2 diabetes|Pneumonia|Heart failure|Atrial fibrillation|COPD|Depression|Urinary tract infection|"
    "Stroke|Sepsis|Breast cancer|Alcohol dependence|HIV disease|Schizophrenia|Epilepsy|Hepatitis C|Lung cancer"
)
DRUGS = (
    "Metformin|Lisinopril|Atorvastatin|Amlodipine|Levothyroxine|Omeprazole|Sertraline|Furosemide|Warfarin|Apixaban|"
    "Insulin glargine|Gabapentin|Oxycodone|Quetiapine|Methadone|Tenofovir|Lithium|Tamoxifen"
)
ATC = "A10BA02|C09AA03|C10AA05|C08CA01|H03AA01|A02BC01|N06AB06|C03CA01|B01AA03|B01AF02|A10AE04|N05AH04|N07BC02|J05AR"
LOINC = "2345-7|2160-0|718-7|777-3|4548-4|2951-2|2823-3|1742-6|1920-8|6690-2|2093-3|1975-2|3016-3|33762-6"
LABS = "Glucose|Creatinine|Hemoglobin|Platelets|HbA1c|Sodium|Potassium|ALT|AST|WBC|Cholesterol|Bilirubin|TSH|NT-proBNP"
CPT = "99213|99214|99232|71046|93000|80053|85025|36415|99284|45378|27447|33533|66984|59400|90834|99291"
OPS = "5-820.00|8-930|1-632.0|5-511.11|8-854.2|3-200|5-399.5|8-800.c0|1-275.0|5-749.0|9-401.22|5-790.1f"
SNOMED = "38341003|44054006|233604007|84114007|49436004|13645005|35489007|68566005|230690007|91302008|254837009"
CONCEPTS = "320128|201826|255848|316139|313217|255573|440383|81902|443454|132797|4112853|433753|439727"
RACES = "White|Black or African American|Asian|Other|American Indian or Alaska Native|Native Hawaiian"
STATES = "OH|PA|MI|IN|KY|WV|NY|IL"
WARDS = "4 West|ICU|5 East|Step-down|3 North|Telemetry|Oncology|Pediatrics"
SPECIALTIES = "Internal Medicine|Cardiology|Family Medicine|General Surgery|Neurology|Oncology|Psychiatry|Orthopedics"
JOBS = "Retired|Teacher|Nurse|Truck driver|Sales clerk|Farmer|Office worker|Electrician|Unemployed|Student|Engineer"
INSURERS = "Medicare|Private|Medicaid|Self-pay|Other government|Workers compensation"
DISPOSITIONS = "Home|Home with services|Skilled nursing facility|Rehabilitation|Expired|Hospice|Left against advice"
