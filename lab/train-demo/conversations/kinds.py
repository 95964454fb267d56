"""More kinds of argument values for the hand-written tools, and their JSON types."""

from .values import CITIES, DAYS, NAMES, capital, clock, filename, folder, person, phrase, stem, word


def pick(words):
    found = [w.strip() for w in words.replace("\n", "").split(",")]
    return lambda r: r.choice(found)


def several(f, low=1, high=4):
    def values(r):
        found = []
        for _ in range(r.randint(low, high)):
            v = f(r)
            if v not in found:
                found.append(v)
        return found
    return values


def point(low, high, digits=1):
    return lambda r: r.randint(low, high) if r.random() < 0.5 else round(r.uniform(low, high), digits)


def whole(low, high):
    return lambda r: r.randint(low, high)


def upper(r):
    return r.choice([word(r).upper(), f"{word(r).upper()}{r.randint(5, 99)}", f"{word(r).upper()}_{word(r).upper()}"])


def moment(r):
    return r.choice([clock(r), clock(r), f"{r.randint(1, 12)} {r.choice(['am', 'pm'])}", f"{r.randint(1, 12)}{r.choice(['am', 'pm'])}", f"{r.randint(0, 23):02d}:{r.randint(0, 59):02d}", "noon", "midnight"])


def phone(r):
    return r.choice([f"{r.randint(100, 999)}-{r.randint(1000, 9999)}", f"+{r.randint(1, 98)} {r.randint(20, 999)} {r.randint(10000, 9999999)}", f"0{r.randint(100000, 999999999)}", f"({r.randint(200, 999)}) {r.randint(100, 999)}-{r.randint(1000, 9999)}", f"555 {r.randint(1000, 9999)}"])


def identifier(r):
    return r.choice([f"{word(r)}_{word(r)}", f"{word(r)}{capital(word(r))}", f"{capital(word(r))}{capital(word(r))}", f"get_{word(r)}", word(r)])


def product(r):
    kinds = "headphones,running shoes,rain jackets,coffee beans,olive oil,batteries,socks,garden chairs,notebooks,candles,tea,rice,shampoo,toothpaste,light bulbs,pens,flour,yoghurt,cat food,dog food,apples,phone cases,water bottles,backpacks,gloves,hiking boots,pillows,towels,honey,milk,bread,lemons,soap,cheese"
    return pick(kinds)(r) if r.random() < 0.8 else word(r) + " " + pick("cream,sauce,cups,boxes,bags,snacks")(r)


def decimal(r):
    return round(r.uniform(0, 10 ** r.randint(1, 4)) + 0.001, r.choice([3, 4, 5])) + 0.0


def branch(r):
    return r.choice(["main", "develop", f"feature/{word(r)}", f"fix/{word(r)}-{word(r)}", f"release-{r.randint(1, 9)}.{r.randint(0, 9)}", f"{word(r)}-{r.randint(1, 500)}"])


def version(r):
    return r.choice([f"{r.randint(0, 9)}.{r.randint(0, 20)}.{r.randint(0, 20)}", f"v{r.randint(1, 9)}.{r.randint(0, 9)}", f"{r.randint(1, 9)}.{r.randint(0, 9)}-beta"])


def place_folder(r):
    return r.choice([folder(r), f"/{word(r)}/{word(r)}", f"{word(r)}/{word(r)}", f"/home/{word(r)}", f"src/{word(r)}", f"./{word(r)}"])


def title(r):
    return " ".join(capital(word(r)) for _ in range(r.randint(1, 3)))


MORE = {
    "temp": point(5, 30), "oven": lambda r: r.randrange(120, 251, 5), "minutes": whole(2, 90), "hours": lambda r: r.randint(2, 11) + r.choice([0, 0, 0.5, 0.25]), "stars": whole(1, 5), "digit": whole(1, 2),
    "posnum": lambda r: r.choice([r.randint(1, 20), r.randint(1, 500), round(r.uniform(0.2, 40), 1), round(r.uniform(0.2, 9), 2)]), "smallnum": lambda r: r.randint(1, 9) + r.choice([0, 0.5, 0.25, 0.75, 0.1]),
    "price": lambda r: r.choice([r.randint(5, 99), r.randint(10, 2500), round(r.uniform(1, 99), 2), round(r.uniform(100, 3000), 2)]), "big": lambda r: r.choice([r.randint(100, 9999), r.randint(100, 999) * 10, r.randint(1000, 99999)]),
    "weight": lambda r: r.choice([r.randint(40, 130), round(r.uniform(5, 120), 1)]), "height": whole(140, 205), "systolic": whole(100, 180), "diastolic": whole(55, 99), "year": whole(1950, 2026), "port": lambda r: r.choice([22, 25, 80, 443, 3000, 5432, 8080, r.randint(1000, 65000)]),
    "lat": lambda r: round(r.uniform(-70, 70), r.choice([1, 2, 4])), "lon": lambda r: round(r.uniform(-170, 170), r.choice([1, 2, 4])), "decimal": decimal,
    "isodate": lambda r: r.choice([f"{r.randint(2019, 2027)}-{r.randint(1, 12):02d}-{r.randint(1, 28):02d}", f"{r.randint(1, 28)} {r.choice('January February March April June July August October'.split())}", f"{r.choice('May June July October'.split())} {r.randint(1, 28)}", f"{r.randint(1, 28):02d}/{r.randint(1, 12):02d}/{r.randint(2020, 2027)}", f"{r.randint(1, 28)}.{r.randint(1, 12)}.{r.randint(2020, 2027)}"]),
    "month": pick("January,February,March,April,May,June,July,August,September,October,November,December"), "moment": moment, "phone": phone, "task": phrase, "upper": upper, "ident": identifier, "product": product, "products": several(product), "branch": branch, "version": version, "folder": place_folder,
    "pin": lambda r: f"{r.randint(0, 9999):04d}", "plate": lambda r: f"{r.choice('ABCDKLMSX')}{r.choice('ABCDEFGH')}-{r.choice('ABCXYZ')}{r.choice('KLMN')} {r.randint(10, 9999)}" if r.random() < 0.5 else f"{r.choice('BHKLMS')}{r.randint(10, 99)} {r.choice('XYZK')}{r.choice('ABC')}{r.choice('RST')}",
    "flight": lambda r: f"{r.choice('LH BA AF KL UA SK AY TP EK DL'.split())}{r.choice(['', ' '])}{r.randint(10, 9999)}", "isbn": lambda r: f"978-{r.randint(0, 9)}-{r.randint(100, 999)}-{r.randint(10000, 99999)}-{r.randint(0, 9)}" if r.random() < 0.5 else f"978{r.randint(10 ** 9, 10 ** 10 - 1)}",
    "ip": lambda r: ".".join(str(r.randint(1, 254)) for _ in range(4)), "domain": lambda r: f"{r.choice(['', '', 'www.', 'mail.'])}{word(r)}{r.choice(['', '-' + word(r)])}.{r.choice(['com', 'org', 'net', 'io', 'eu'])}", "square": lambda r: r.choice("abcdefgh") + str(r.randint(1, 8)),
    "channel": lambda r: "#" + r.choice([word(r), f"{word(r)}-{word(r)}", "general", "team-" + word(r)]), "company": lambda r: r.choice([capital(word(r)) + r.choice([" Ltd", " Inc", " GmbH", " and Sons", ""]), capital(word(r)) + " " + capital(word(r))]),
    "repo": lambda r: r.choice([f"{word(r)}/{word(r)}", f"{word(r)}-{word(r)}", word(r)]), "package": lambda r: r.choice([word(r), f"{word(r)}-{word(r)}", f"lib{word(r)}", "nginx", "postgres", "redis", "sshd"]), "project": lambda r: r.choice([capital(word(r)), f"{word(r)}-{word(r)}", word(r), capital(word(r)) + " " + str(r.randint(2, 9))]),
    "table": lambda r: r.choice([word(r), f"{word(r)}_{word(r)}", "customers", "orders", "users", "payments"]), "where": lambda r: r.choice([f"{word(r)} = {r.randint(1, 99)}", f"{word(r)} > {r.randint(1, 999)}", f"{word(r)} < {r.randint(1, 99)}"]), "archive": lambda r: stem(r) + r.choice([".zip", ".tar.gz", ".7z", ".zip"]),
    "video": lambda r: stem(r) + r.choice([".mkv", ".flv", ".wmv", ".mpg"]), "titles": several(title, 2, 3), "road": lambda r: r.choice([f"the {r.choice('AMB')}{r.randint(1, 99)}", f"{capital(word(r))} Road", f"Highway {r.randint(1, 99)}", f"{capital(word(r))} Street"]).removeprefix("the "),
    "country": pick("Norway,Peru,Japan,Kenya,Chile,Italy,Canada,Vietnam,Greece,Morocco,Iceland,Portugal,India,Mexico,Croatia,Finland,Thailand,Brazil"), "dish": pick("pancakes,lentil soup,pizza,fried rice,lasagne,apple pie,goulash,chicken curry,potato salad,noodles,banana bread,omelette,sushi,tomato soup,paella,waffles,risotto,tacos,dumplings,ratatouille"),
    "plant": pick("basil,my orchid,roses,an olive tree,tomatoes,lavender,ferns,cactus,mint,ivy,strawberries,lemon balm,tulips,bamboo,rosemary"), "animal": pick("cat,dog,hamster,rabbit,parrot,goldfish,turtle,guinea pig,horse,canary"), "appliance": pick("fridge,dishwasher,boiler,shower,window,toilet,radiator,stove,doorbell,blind"),
    "device": pick("TV,tablet,laptop,phone,speaker,headset,watch,keyboard,projector,mouse"), "garden": pick("lawn,front yard,rose bed,backyard,driveway,terrace,gate,greenhouse,garage,porch"), "shop": pick("Freshmart,Corner Store,Greenway,Dailyfood,Bio Market,Foodland,Sunny Shop"), "shops": several(pick("Freshmart,Corner Store,Greenway,Dailyfood,Bio Market,Foodland,Sunny Shop"), 2, 3),
    "brand": lambda r: capital(word(r)), "medicine": pick("ibuprofen,aspirin,vitamin D,antibiotics,insulin,cough syrup,iron tablets,eye drops,magnesium,paracetamol"), "dose": lambda r: r.choice([f"{r.randint(1, 4)} tablets", f"{r.choice([5, 10, 20, 50, 100, 200, 400])} mg", f"{r.randint(2, 20)} drops", f"{r.randint(2, 15)} ml"]),
    "exercise": pick("squats,lunges,bench presses,deadlifts,rows,curls,push-ups,sit-ups,shoulder presses"), "sports": several(pick("hiking,skiing,swimming,climbing,cycling,diving,sailing,fishing,sightseeing"), 1, 3), "team": lambda r: r.choice([f"{r.choice(CITIES)} United", f"the {capital(word(r))}s".removeprefix("the "), f"FC {r.choice(CITIES)}", f"{capital(word(r))} Rovers", f"{r.choice(CITIES)} City"]),
    "department": pick("sales,marketing,finance,research,support,purchasing,legal,engineering,logistics,design"), "topic": pick("Java,cloud security,taxes,welding,machine learning,contracts,Photoshop,Spanish,first aid,accounting,Kubernetes,pricing"), "subject": pick("history,biology,maths,geography,physics,chemistry,music,art,English,Latin,economics"), "coin": pick("bitcoin,ether,litecoin,dogecoin,monero,cardano,solana"),
    "day": lambda r: r.choice(DAYS), "name": lambda r: r.choice(NAMES), "persons": several(person, 2, 4), "files": several(filename),
}
TYPES = {k: "number" for k in "temp hours posnum smallnum price weight lat lon decimal".split()} | {k: "integer" for k in "oven minutes stars digit big height systolic diastolic year port".split()} | {k: "string[]" for k in "products titles shops sports persons files".split()}
